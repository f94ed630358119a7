# Compiles a right kernel by `assay instrument`, and judges it by the algebra: as cmake -DASSAY=... -P algebra.cmake.
set(library "${FOLDER}/algebra_${OPERATION}_${NAME}.so")
execute_process(COMMAND "${ASSAY}" instrument "${CLANG}" -std=c++20 -O1 -shared -fPIC -fvisibility=hidden "-I${ROOT}" ${DEFINITIONS}
                        "${SOURCE}" -pthread -o "${library}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${ASSAY}" gate ${OPERATION} --kernel "${library}" --algebra --filter "^algebra$" --cases 20 --generated
                COMMAND_ERROR_IS_FATAL ANY)
