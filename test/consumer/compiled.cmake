# For both ways to get the library: a program and a shared library that link ipuflow::compiled, and a static library of the same
# project that does not.
set(here ${CMAKE_CURRENT_LIST_DIR}/find_package)
add_library(header_only STATIC ${here}/trained.cpp)
target_compile_definitions(header_only PRIVATE TRAINED=trained_header_only)
target_link_libraries(header_only PRIVATE ipuflow::ipuflow)
add_library(in_shared SHARED ${here}/trained.cpp)
target_compile_definitions(in_shared PRIVATE TRAINED=trained_in_shared)
target_link_libraries(in_shared PRIVATE ipuflow::compiled)
add_executable(compiled_consumer ${here}/compiled_main.cpp ${here}/trained.cpp)
target_compile_definitions(compiled_consumer PRIVATE TRAINED=trained_compiled)
target_link_libraries(compiled_consumer PRIVATE ipuflow::compiled header_only in_shared)
add_custom_command(TARGET consumer POST_BUILD COMMAND consumer) # the test itself runs compiled_consumer
