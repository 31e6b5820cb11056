package io.csi4j.core.spi;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A clock, a timer and an executor for tests. Time passes and tasks run only when the test calls a method of this
 * class, on the thread of the test.
 *
 * <pre>{@code
 * VirtualTime time = VirtualTime.inOrder();
 * VolumeLifecycle lifecycle = VolumeLifecycle.builder()
 *         .log(log)
 *         .gateway(gateway)
 *         .environment(time.environment(random))
 *         .build();
 * time.advance(Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>Any thread may submit tasks; one thread at a time runs them. A task never runs inside the call that submits it.
 * Closing an environment drops the tasks of that environment, as the end of its process would.
 */
public final class VirtualTime extends Clock implements Timer, Executor {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MAX_TASKS_AT_ONE_TIME = 200_000;
    private static final int MIN_CANCELLED = 64;

    /**
     * Chooses the order of tasks that are ready at the same time, and of timers that are due at the same time. Null
     * means the order of submission.
     */
    private final @Nullable RandomGenerator order;

    private final ReadyTasks ready;
    private final PriorityQueue<Task> timers = new PriorityQueue<>();
    /** The number of cancelled timers that are still in the queue. */
    private int cancelled;

    private long now;
    /** The sum of all corrections of the clock; negative if it was set back. */
    private Duration clockOffset = Duration.ZERO;

    private long handedIn;
    private long executed;
    private long fired;

    private VirtualTime(@Nullable RandomGenerator order) {
        this.order = order;
        this.ready = new ReadyTasks(order);
    }

    /**
     * Creates a virtual time that runs tasks in the order in which they were submitted. The clock starts at
     * 2026-01-01T00:00:00Z.
     */
    public static VirtualTime inOrder() {
        return new VirtualTime(null);
    }

    /**
     * Creates a virtual time that runs the tasks that are ready at the same time in a random order. The same seed gives
     * the same order. The clock starts at 2026-01-01T00:00:00Z.
     */
    public static VirtualTime shuffled(long seed) {
        return new VirtualTime(new SplittableRandom(seed));
    }

    /**
     * Creates an environment that uses this time. When the environment is closed, its tasks are dropped and new ones
     * are ignored.
     *
     * @param random the random numbers of the environment
     */
    public Environment environment(RandomGenerator random) {
        Objects.requireNonNull(random, "random");
        Lifetime lifetime = new Lifetime();
        return Environment.of(this, lifetime, lifetime, random, lifetime::end);
    }

    @Override
    public void execute(Runnable task) {
        submit(task);
    }

    private synchronized void submit(Runnable run) {
        ready.add(task(0, run));
        notifyAll();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Objects.requireNonNull(delay, "delay");
        Task timer = addTimer(Math.max(0, delay.toNanos()), task);
        return () -> cancel(timer);
    }

    private synchronized Task addTimer(long delay, Runnable run) {
        Task timer = task(delay, run);
        timers.add(timer);
        notifyAll();
        return timer;
    }

    private Task task(long delay, Runnable run) {
        Objects.requireNonNull(run, "task");
        return new Task(now + delay, order == null ? 0 : order.nextInt(), handedIn++, run);
    }

    private synchronized void cancel(Task timer) {
        if (timer.cancelled || timer.fired) {
            return;
        }
        timer.cancelled = true;
        cancelled++;
        // Removes many cancelled timers together, because the removal of a single one searches the whole queue.
        if (cancelled > MIN_CANCELLED && cancelled > timers.size() / 2) {
            timers.removeIf(waiting -> waiting.cancelled);
            cancelled = 0;
        }
        notifyAll();
    }

    /**
     * Runs one ready task.
     *
     * @return false if no task is ready
     */
    public boolean step() {
        Task task = nextReady();
        if (task == null) {
            return false;
        }
        task.run.run();
        return true;
    }

    private synchronized @Nullable Task nextReady() {
        Task task = ready.next();
        if (task != null) {
            executed++;
        }
        return task;
    }

    /**
     * Runs tasks until no task is ready. The time does not advance, so timers that are due later stay pending.
     *
     * @throws IllegalStateException if tasks keep submitting tasks without end
     */
    public void run() {
        for (int steps = 0; step(); steps++) {
            if (steps == MAX_TASKS_AT_ONE_TIME) {
                throw new IllegalStateException("hot loop: " + steps + " tasks ran while no time passed");
            }
        }
    }

    /**
     * Advances the time. Runs the ready tasks, then each timer when it is due, and also the tasks that those tasks and
     * timers submit.
     *
     * @param duration the time to advance; not negative
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if tasks keep submitting tasks without end
     */
    public void advance(Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration is " + duration + "; give zero or more");
        }
        long end = elapsed().plus(duration).toNanos();
        run();
        for (Task timer = nextDue(end); timer != null; timer = nextDue(end)) {
            timer.run.run();
            run();
        }
        setElapsed(end);
    }

    private synchronized @Nullable Task nextDue(long end) {
        Task timer = timers.peek();
        while (timer != null && timer.cancelled) {
            timers.remove();
            cancelled--;
            timer = timers.peek();
        }
        if (timer == null || timer.at > end) {
            return null;
        }
        timers.remove();
        timer.fired = true;
        now = Math.max(now, timer.at);
        fired++;
        return timer;
    }

    private synchronized void setElapsed(long end) {
        now = end;
    }

    /** Returns the time that has passed since this object was created. {@link #setClock} does not change it. */
    public synchronized Duration elapsed() {
        return Duration.ofNanos(now);
    }

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    /**
     * Sets the clock forwards or backwards, as an administrator or a time server does. No time passes, and no timer
     * fires.
     *
     * @param by how far to set the clock forwards; negative sets it backwards
     */
    public synchronized void setClock(Duration by) {
        clockOffset = clockOffset.plus(by);
    }

    /** Returns the number of timers that are not yet due and not cancelled. */
    public synchronized int timers() {
        return timers.size() - cancelled;
    }

    /** Returns the number of timers that are due when exactly this delay has passed from now. */
    public synchronized int timersDueIn(Duration delay) {
        long at = now + Objects.requireNonNull(delay, "delay").toNanos();
        return (int) timers.stream()
                .filter(timer -> timer.at == at && !timer.cancelled)
                .count();
    }

    /**
     * Blocks until exactly this number of timers is due after the given delay. Other threads have to set the timers.
     * Has no timeout; set one on the test.
     *
     * @param count the number of timers
     * @param delay the time from now until the timers are due
     * @throws InterruptedException if the thread is interrupted
     */
    public synchronized void awaitTimersDueIn(int count, Duration delay) throws InterruptedException {
        while (timersDueIn(delay) != count) {
            wait();
        }
    }

    /** Returns the number of tasks that the executor has run. */
    public synchronized long executed() {
        return executed;
    }

    /** Returns the number of timers that have fired. */
    public synchronized long fired() {
        return fired;
    }

    @Override
    public synchronized Instant instant() {
        return START.plus(elapsed()).plus(clockOffset);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    /** Returns this clock for UTC, and rejects any other zone. */
    @Override
    public Clock withZone(ZoneId zone) {
        Objects.requireNonNull(zone, "zone");
        if (!zone.normalized().equals(ZoneOffset.UTC)) {
            throw new IllegalArgumentException("zone is " + zone + "; virtual time has UTC only");
        }
        return this;
    }

    /**
     * A task and the time at which it runs. Tasks with the same time run in the order of their random numbers; if these
     * are equal too, in the order of submission.
     */
    private static final class Task implements Comparable<Task> {
        private final long at;
        private final int tie;
        private final long number;
        private final Runnable run;
        private boolean cancelled;
        private boolean fired;

        Task(long at, int tie, long number, Runnable run) {
            this.at = at;
            this.tie = tie;
            this.number = number;
            this.run = run;
        }

        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(at, other.at);
            int byTie = byTime != 0 ? byTime : Integer.compare(tie, other.tie);
            return byTie != 0 ? byTie : Long.compare(number, other.number);
        }
    }

    /** The tasks that can run now. */
    private static final class ReadyTasks {
        private final @Nullable RandomGenerator order;
        private final ArrayDeque<Task> inOrder = new ArrayDeque<>();
        private final List<Task> shuffled = new ArrayList<>();

        ReadyTasks(@Nullable RandomGenerator order) {
            this.order = order;
        }

        void add(Task task) {
            if (order == null) {
                inOrder.add(task);
            } else {
                shuffled.add(task);
            }
        }

        @Nullable Task next() {
            if (order == null) {
                return inOrder.poll();
            }
            if (shuffled.isEmpty()) {
                return null;
            }
            // Takes a random task out of the list. The last task fills its place, so that no other task moves.
            int chosen = order.nextInt(shuffled.size());
            Task last = shuffled.remove(shuffled.size() - 1);
            return chosen == shuffled.size() ? last : shuffled.set(chosen, last);
        }
    }

    /** The timer and executor of one environment. Both drop all tasks when the environment is closed. */
    private final class Lifetime implements Timer, Executor {
        private volatile boolean ended;

        @Override
        public void execute(Runnable task) {
            VirtualTime.this.execute(whileAlive(task));
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return VirtualTime.this.schedule(delay, whileAlive(task));
        }

        @Override
        public long nanoTime() {
            return VirtualTime.this.nanoTime();
        }

        private Runnable whileAlive(Runnable task) {
            Objects.requireNonNull(task, "task");
            return () -> {
                if (!ended) {
                    task.run();
                }
            };
        }

        void end() {
            ended = true;
        }
    }
}
