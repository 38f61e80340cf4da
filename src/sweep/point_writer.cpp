#include "sweep/point_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

#include "io/atomic_file.hpp"
#include "sweep/checkpoint_file.hpp"

namespace rarefact {

namespace {

/// More than one, since most of the time goes by waiting for the disk.
constexpr int writing_threads = 2;
constexpr std::chrono::seconds mark_pause(60);

}  // namespace

PointWriter::PointWriter(const PointStore& store, std::function<void(std::size_t)> stored)
    : store_(store), stored_(std::move(stored)) {
  make_folder_of(store.folder() / "x");
  try {
    for (int i = 0; i < writing_threads; ++i) threads_.emplace_back([this] { work(); });
    marking_.emplace(mark_pause, [this] {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, mark] : marked_) ::futimens(mark, nullptr);
    });
  } catch (const std::system_error&) {
    // One thread that writes is enough; marks that grow old are a courtesy less.
    if (threads_.empty()) throw;
  }
}

PointWriter::~PointWriter() {
  stop();
  while (!marked_.empty()) remove_mark(PointId(marked_.begin()->first));
}

Turn PointWriter::begin(const PointId& id) {
  const std::filesystem::path name = store_.mark(id);
  // A courtesy: a mark that cannot be made or locked keeps no point from being computed.
  const int mark = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (mark >= 0) {
    const bool others = ::flock(mark, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat locked = {}, named = {};
    ::fstat(mark, &locked);
    // Its owner takes a mark away before the lock, so this may be one without a name.
    const bool gone = !others && (::stat(name.c_str(), &named) != 0 || named.st_ino != locked.st_ino);
    if (gone || (others && std::chrono::seconds(::time(nullptr) - locked.st_mtime) < recent_mark)) {
      ::close(mark);
      return Turn::later;
    }
    ::futimens(mark, nullptr);
    const std::lock_guard lock(mutex_);
    marked_.emplace(id, mark);
  }
  if (!store_.holds(id)) return Turn::compute;
  remove_mark(id);
  return Turn::skip;
}

void PointWriter::remove_mark(const PointId& id) {
  const std::lock_guard lock(mutex_);
  const auto marked = marked_.find(id);
  if (marked == marked_.end()) return;
  ::unlink(store_.mark(id).c_str());
  ::close(marked->second);
  marked_.erase(marked);
}

void PointWriter::put(const PointId& id, const std::string& canonical_text, Result result) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || waiting_.size() < most_waiting; });
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back({id, canonical_text, std::move(result)});
  changed_.notify_all();
}

void PointWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Job> jobs;
    // Half of them, so that the other thread has the rest.
    for (std::size_t n = (waiting_.size() + 1) / 2; n > 0; --n) {
      jobs.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    changed_.notify_all();
    lock.unlock();
    store(std::move(jobs));
    lock.lock();
  }
}

void PointWriter::store(std::vector<Job> jobs) {
  std::exception_ptr failure;
  // A point that cannot be stored takes no other one with it.
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  std::vector<std::pair<PointId, TemporaryFile>> files;
  for (Job& job : jobs) {
    attempt([&] {
      const auto bytes = encode_point(std::move(job.result), job.canonical_text);
      TemporaryFile file(store_.path(job.id), bytes);
      file.verify(bytes);
      files.emplace_back(job.id, std::move(file));
    });
  }
  std::vector<PointId> published;
  for (auto& [id, file] : files) {
    attempt([&, &id = id, &file = file] {
      file.publish();
      published.push_back(id);
    });
  }
  if (!published.empty()) attempt([&] { sync_folder(store_.folder()); });
  for (const PointId& id : published) {
    remove_checkpoints(store_, id);
    remove_mark(id);
  }
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  changed_.notify_all();
  count_ += published.size();
  if (!published.empty() && stored_) stored_(count_);
}

void PointWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  marking_.reset();
}

void PointWriter::finish() {
  stop();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace rarefact
