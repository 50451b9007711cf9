# For both ways to get the library: a program that links ipuflow::compiled, and a library of the same project that does not.
set(here ${CMAKE_CURRENT_LIST_DIR}/find_package)
add_library(header_only STATIC ${here}/trained.cpp)
target_compile_definitions(header_only PRIVATE TRAINED=trained_header_only)
target_link_libraries(header_only PRIVATE ipuflow::ipuflow)
add_executable(compiled_consumer ${here}/compiled_main.cpp ${here}/trained.cpp)
target_compile_definitions(compiled_consumer PRIVATE TRAINED=trained_compiled)
target_link_libraries(compiled_consumer PRIVATE ipuflow::compiled header_only)
add_custom_command(TARGET consumer POST_BUILD COMMAND consumer) # the test itself runs compiled_consumer
