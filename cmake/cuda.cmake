# The CUDA engine, with -DKEDGE_CUDA=ON. No command takes it yet; `make gputest` holds it to the CPU engine.
enable_language(CUDA)
# CMake 3.25 does not know that nvcc has C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)
add_library(kedge_cuda STATIC kedge/nn/engine_cuda.cu kedge/nn/cuda_training.cu kedge/nn/cuda_block_form.cu kedge/nn/cuda_grid_form.cu kedge/nn/device_plan.cpp)
target_link_libraries(kedge_cuda PUBLIC kedge PRIVATE CUDA::cudart_static)
# Division and root within two units in the last place, as fast as they can be; small numbers are zero, as on the CPU.
target_compile_options(kedge_cuda PRIVATE
                       $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-diag-suppress=554;-prec-div=false;-prec-sqrt=false;-ftz=true>)
set_target_properties(kedge_cuda PROPERTIES CUDA_ARCHITECTURES "80;90" CUDA_SEPARABLE_COMPILATION OFF)
