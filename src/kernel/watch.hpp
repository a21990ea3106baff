#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace infosift {

/// Asks now and then whether to go on, and tells all threads at work when not.
class Watch {
public:
    explicit Watch(std::function<bool()> go_on) : go_on_(std::move(go_on)) {}

    /// Whether to stop; to be called often by the thread that may ask.
    bool stops() {
        const auto now = std::chrono::steady_clock::now();
        if (!stopped_ && now - asked_ > interval) {
            asked_ = now;
            stopped_ = !go_on_();
        }
        return stopped_;
    }

    /// The same for the other threads.
    bool stopped() const { return stopped_; }

private:
    static constexpr auto interval = std::chrono::milliseconds(100);

    std::function<bool()> go_on_;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_ = false;
};

} // namespace infosift
