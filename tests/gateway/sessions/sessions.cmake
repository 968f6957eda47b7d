cellgate_test(sessions_test
  SOURCES cell_book_test.cpp cell_events_test.cpp cell_settings_test.cpp client_table_test.cpp
          command_events_test.cpp command_fsm_test.cpp execution_fsm_test.cpp json_reading_test.cpp
          kept_cell_test.cpp live_shell_test.cpp memory_text_test.cpp running_command_test.cpp sandbox_test.cpp session_keeper_test.cpp
          session_store_test.cpp start_failure_test.cpp text_decoder_test.cpp
  LINKS gateway_sessions kernels_test_support)
