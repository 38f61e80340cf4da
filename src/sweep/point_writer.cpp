#include "sweep/point_writer.hpp"

#include "core/transform.hpp"
#include "sweep/checkpoint_file.hpp"

namespace rarefact {

namespace {

constexpr std::chrono::milliseconds gathering(100);
/// Largest number of finished points that wait in memory.
constexpr std::size_t max_waiting = 8;

const std::filesystem::path& made(const std::filesystem::path& folder) {
  make_folder_of(folder / "x");
  return folder;
}

}  // namespace

PointWriter::PointWriter(PointStore& store, std::function<void(std::size_t)> stored)
    : store_(store),
      file_(made(store.folder()), PointStore::points_end),
      locks_(store.folder(), PointLocks::Use::take),
      stored_(std::move(stored)),
      thread_([this] { work(); }) {
  store_.own(file_.path());
}

PointWriter::~PointWriter() {
  stop();
}

Turn PointWriter::begin(const PointId& id) {
  const std::lock_guard lock(storing_);
  if (!locks_.take(id)) return Turn::later;
  store_.look_for_others();
  if (!store_.holds(id)) return Turn::compute;
  locks_.give_back(id);
  return Turn::skip;
}

void PointWriter::put(const PointId& id, Result result) {
  Job job{id, encode_point(id, std::move(result))};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || waiting_.size() < max_waiting; });
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

PointSink PointWriter::sink() {
  return [this](const Point& point, Result result) { put(point.id, std::move(result)); };
}

void PointWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    // Points that take less time share a sync.
    changed_.wait_for(lock, gathering, [&] { return ending_ || waiting_.size() == max_waiting; });
    std::vector<Job> jobs = std::exchange(waiting_, {});
    changed_.notify_all();
    lock.unlock();
    // A point that cannot be stored does not affect others.
    if (!append(jobs) && jobs.size() > 1)
      for (Job& job : jobs) append({&job, 1});
    lock.lock();
  }
}

bool PointWriter::append(std::span<Job> jobs) {
  std::uint64_t offset = 0;
  try {
    offset = file_.append(mapped(jobs, [](const Job& job) { return std::span<const std::byte>(job.bytes); }));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    changed_.notify_all();
    return false;
  }
  const std::lock_guard lock(storing_);
  for (Job& job : jobs) {
    const std::size_t size = job.bytes.size();
    store_.add(job.id, file_.path(), std::exchange(offset, offset + size), std::move(job.bytes));
    remove_checkpoint(store_, job.id);
    locks_.give_back(job.id);
  }
  count_ += jobs.size();
  if (stored_) stored_(count_);
  return true;
}

void PointWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PointWriter::finish() {
  stop();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace rarefact
