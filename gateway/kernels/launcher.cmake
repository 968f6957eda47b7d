# The gateway's end of the launcher process; a library of its own, so that it is tested without kernels.
cellgate_layer(gateway_launcher
  SOURCES child_process.cpp launcher.cpp launcher_client.cpp launcher_start.cpp machine_check.cpp run_table.cpp
  LINKS gateway_base kernel_protocol)
