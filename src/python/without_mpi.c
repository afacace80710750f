// MPI for one process: stands in for libmpi.so.40 where a wheel finds no Open MPI.
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator of one rank makes no MPI call, so that start, end and queries are all that is ever
// called. Any other function returns an error, which comm::check_mpi() reports. Types are those of
// Open MPI's ABI: handles are addresses.

#include <stdio.h>

enum { success = 0, not_without_mpi = 16, thread_funneled = 1 };

static int is_started, is_ended;

// Objects whose addresses are the predefined handles, with the sizes of Open MPI, which programs
// copy.
#define OBJECT(name, size) char name[size];
OBJECT(ompi_mpi_byte, 512)
OBJECT(ompi_mpi_char, 512)
OBJECT(ompi_mpi_comm_null, 512)
OBJECT(ompi_mpi_comm_self, 512)
OBJECT(ompi_mpi_comm_world, 512)
OBJECT(ompi_mpi_int, 512)
OBJECT(ompi_mpi_int64_t, 512)
OBJECT(ompi_mpi_uint64_t, 512)
OBJECT(ompi_mpi_win_null, 512)
OBJECT(ompi_mpi_errors_return, 1024)
OBJECT(ompi_mpi_group_null, 256)
OBJECT(ompi_mpi_info_null, 256)
OBJECT(ompi_mpi_op_max, 2048)
OBJECT(ompi_mpi_op_min, 2048)
OBJECT(ompi_mpi_op_no_op, 2048)
OBJECT(ompi_mpi_op_replace, 2048)
OBJECT(ompi_mpi_op_sum, 2048)
OBJECT(ompi_request_null, 256)

int MPI_Init_thread(int* argc, char*** argv, int wanted, int* provided) {
  (void)argc, (void)argv;
  is_started = 1;
  *provided = wanted;
  return success;
}
int MPI_Query_thread(int* provided) {
  *provided = thread_funneled;
  return success;
}
int MPI_Initialized(int* flag) {
  *flag = is_started;
  return success;
}
int MPI_Finalized(int* flag) {
  *flag = is_ended;
  return success;
}
int MPI_Finalize(void) {
  is_ended = 1;
  return success;
}
int MPI_Comm_rank(const void* comm, int* rank) {
  (void)comm;
  *rank = 0;
  return success;
}
int MPI_Comm_size(const void* comm, int* size) {
  (void)comm;
  *size = 1;
  return success;
}
int MPI_Comm_set_errhandler(const void* comm, const void* handler) {
  (void)comm, (void)handler;
  return success;
}
int MPI_Error_string(int code, char* text, int* length) {
  (void)code;
  *length = sprintf(text, "this process has no MPI library (libmpi.so.40 was not found)");
  return success;
}

int MPIX_Query_cuda_support(void) { return 0; }

// Calls of several ranks.
#define REFUSED(name) \
  int name() { return not_without_mpi; }
REFUSED(MPI_Abort)
REFUSED(MPI_Allgather)
REFUSED(MPI_Allgatherv)
REFUSED(MPI_Allreduce)
REFUSED(MPI_Alltoall)
REFUSED(MPI_Barrier)
REFUSED(MPI_Bcast)
REFUSED(MPI_Cancel)
REFUSED(MPI_Comm_create_group)
REFUSED(MPI_Comm_free)
REFUSED(MPI_Comm_group)
REFUSED(MPI_Comm_split_type)
REFUSED(MPI_Fetch_and_op)
REFUSED(MPI_Gatherv)
REFUSED(MPI_Group_free)
REFUSED(MPI_Group_incl)
REFUSED(MPI_Ibarrier)
REFUSED(MPI_Irecv)
REFUSED(MPI_Isend)
REFUSED(MPI_Request_free)
REFUSED(MPI_Test)
REFUSED(MPI_Waitall)
REFUSED(MPI_Win_allocate)
REFUSED(MPI_Win_flush)
REFUSED(MPI_Win_free)
REFUSED(MPI_Win_lock_all)
REFUSED(MPI_Win_set_errhandler)
REFUSED(MPI_Win_sync)
REFUSED(MPI_Win_unlock_all)
