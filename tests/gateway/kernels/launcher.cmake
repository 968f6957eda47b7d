cellgate_test(gateway_launcher_test
  SOURCES launcher_test.cpp machine_check_test.cpp
  LINKS gateway_launcher)
target_compile_definitions(gateway_launcher_test PRIVATE CELLGATE_LAUNCHER="$<TARGET_FILE:cellgate-launcher>")
add_dependencies(gateway_launcher_test cellgate-launcher)
