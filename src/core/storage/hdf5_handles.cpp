// HDF5 identifiers, errors and the file driver that passes HDF5's bytes to a storage.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/storage/hdf5_handles.hpp"

#include <fmt/format.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <exception>
#include <mutex>
#include <span>

namespace nfold::storage {

namespace {

herr_t note_reason(unsigned /*depth*/, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

// State of an open file in the driver; the first member is HDF5's own.
struct OpenFile {
  H5FD_t hdf5;
  Hdf5Storage* storage;
  haddr_t end_of_allocation;
};

struct DriverInfo {
  Hdf5Storage* storage;
};

OpenFile* mine(H5FD_t* file) { return reinterpret_cast<OpenFile*>(file); }
const OpenFile* mine(const H5FD_t* file) { return reinterpret_cast<const OpenFile*>(file); }

H5FD_t* driver_open(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*largest*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  return reinterpret_cast<H5FD_t*>(new OpenFile{{}, info->storage, 0});
}

herr_t driver_close(H5FD_t* file) {
  delete mine(file);
  return 0;
}

int driver_compare(const H5FD_t* a, const H5FD_t* b) {
  const auto *x = mine(a)->storage, *y = mine(b)->storage;
  return x == y ? 0 : (x < y ? -1 : 1);
}

herr_t driver_query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  }
  return 0;
}

haddr_t driver_end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return mine(file)->end_of_allocation;
}

herr_t driver_set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  mine(file)->end_of_allocation = address;
  return 0;
}

haddr_t driver_end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return static_cast<haddr_t>(mine(file)->storage->size());
}

herr_t driver_read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
                   std::size_t size, void* to) {
  try {
    mine(file)->storage->read(static_cast<std::int64_t>(address),
                              std::span(static_cast<std::byte*>(to), size));
  } catch (const std::exception&) {
    return -1;
  }
  return 0;
}

herr_t driver_write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
                    std::size_t size, const void* from) {
  mine(file)->storage->write(static_cast<std::int64_t>(address),
                             std::span(static_cast<const std::byte*>(from), size));
  return 0;
}

herr_t driver_truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  auto* open = mine(file);
  const auto wanted = static_cast<std::int64_t>(open->end_of_allocation);
  if (open->storage->size() != wanted) open->storage->resize(wanted);
  return 0;
}

hid_t register_storage_driver() {
  static H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(0x6e66);  // in the range for users
#endif
  driver.name = "nfold_storage";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = driver_open;
  driver.close = driver_close;
  driver.cmp = driver_compare;
  driver.query = driver_query;
  driver.get_eoa = driver_end_of_allocation;
  driver.set_eoa = driver_set_end_of_allocation;
  driver.get_eof = driver_end_of_file;
  driver.read = driver_read;
  driver.write = driver_write;
  driver.truncate = driver_truncate;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  for (int i = 0; i < H5FD_MEM_NTYPES; ++i) driver.fl_map[i] = map[i];
  return H5FDregister(&driver);
}

hid_t storage_driver() {
  static std::mutex one_at_a_time;
  static hid_t id = H5I_INVALID_HID;
  const std::lock_guard lock(one_at_a_time);
  // MPI_Finalize ends HDF5, which then has forgotten its drivers.
  if (H5Iget_type(id) != H5I_VFL) id = register_storage_driver();
  return id;
}

Hdf5Id access_through(Hdf5Storage& storage, const std::string& name) {
  silence_hdf5();
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), name, "make file access settings");
  const DriverInfo info{&storage};
  check_hdf5(H5Pset_driver(access, storage_driver(), &info), name, "set the file driver");
  // The earliest format has no consistency flag that a killed writer would leave behind.
  check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), name,
             "choose the earliest file format");
  return access;
}

}  // namespace

Hdf5Id::Hdf5Id(hid_t id, std::string_view what, std::string_view action) : id_(id) {
  if (id < 0) check_hdf5(-1, what, action);
}

bool Hdf5Id::close() noexcept {
  if (id_ < 0) return true;
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id) >= 0;
    case H5I_GROUP:
      return H5Gclose(id) >= 0;
    case H5I_DATASET:
      return H5Dclose(id) >= 0;
    case H5I_DATASPACE:
      return H5Sclose(id) >= 0;
    case H5I_DATATYPE:
      return H5Tclose(id) >= 0;
    case H5I_ATTR:
      return H5Aclose(id) >= 0;
    default:
      return H5Pclose(id) >= 0;
  }
}

void check_hdf5(herr_t code, std::string_view what, std::string_view action) {
  if (code >= 0) return;
  const auto reason = hdf5_reason();
  H5Eclear2(H5E_DEFAULT);
  throw FileError(fmt::format("{}: HDF5 cannot {}: {}", what, action, reason));
}

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note_reason, &reason);
  return reason.empty() ? "no reason given" : reason;
}

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  // External links would be followed into other files.
  if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0) H5Lunregister(H5L_TYPE_EXTERNAL);
}

Hdf5Id create_hdf5(Hdf5Storage& storage, const std::string& name, hsize_t user_block_bytes) {
  const auto access = access_through(storage, name);
  Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), name, "make file creation settings");
  check_hdf5(H5Pset_userblock(creation, user_block_bytes), name, "set the user block");
  check_hdf5(H5Pset_obj_track_times(creation, false), name, "leave out time stamps");
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access), name, "create the file"};
}

namespace {
/// Translates HDF5's reason for the user.
std::string describe_open_failure(const std::string& reason, std::int64_t size) {
  if (size == 0) return "the file is empty";
  if (reason.find("signature not found") != std::string::npos) return "this is no HDF5 file";
  constexpr std::string_view stored = "stored_eof = ";
  if (const auto at = reason.find(stored); at != std::string::npos) {
    return fmt::format("the file is cut off: {} bytes instead of {}", size,
                       reason.substr(at + stored.size()));
  }
  return fmt::format("the file is damaged (HDF5: {})", reason);
}
}  // namespace

Hdf5Id open_hdf5(Hdf5Storage& storage, const std::string& name, Hdf5Access access) {
  const bool reads = access == Hdf5Access::read;
  // Closed after the reason is read: HDF5 clears it at the next call.
  const auto through = access_through(storage, name);
  const hid_t file = H5Fopen(name.c_str(), reads ? H5F_ACC_RDONLY : H5F_ACC_RDWR, through);
  if (file < 0) {
    const auto reason = hdf5_reason();
    H5Eclear2(H5E_DEFAULT);
    throw FileError(fmt::format(
        "{}: {} ({})", name, describe_open_failure(reason, storage.size()),
        reads ? "give the right file, or copy it again from where it is whole"
              : "bring back a whole copy; or go on in another folder by --output OTHER.out --set "
                "start.checkpoint=CHECKPOINT; or start anew by --overwrite"));
  }
  return {file, name, "open the file"};
}

}  // namespace nfold::storage
