# Sessions, their cells and clients, and the registry.
cellgate_layer(gateway_sessions
  SOURCES
    cell.cpp cell_book.cpp cell_events.cpp cell_settings.cpp client_table.cpp command.cpp command_events.cpp
    command_fsm.cpp correction.cpp culling.cpp execution_fsm.cpp json_reading.cpp kept_cell.cpp kept_settings.cpp
    live_registry.cpp live_registry_change.cpp live_registry_revival.cpp live_registry_setup.cpp live_session.cpp
    live_session_change.cpp live_session_clients.cpp live_session_keeping.cpp live_session_messages.cpp
    live_session_network.cpp
    live_shell.cpp memory_text.cpp network_events.cpp proxy_execution.cpp requests.cpp running_command.cpp sandbox.cpp session_change.cpp session_keeper.cpp shell.cpp
    sqlite_session_store.cpp start_failure.cpp text_decoder.cpp text_keeper.cpp
  LINKS gateway_log gateway_storage gateway_kernels gateway_tools gateway_egress mounts nlohmann_json::nlohmann_json)
