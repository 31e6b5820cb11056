package io.csi4j.core.lifecycle.internal.call;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The default threads on which futures of operations complete. They are daemon threads that all engines share; each is
 * created on demand and ends after ten idle seconds. A callback that blocks keeps one thread busy and delays no other
 * callback. They are the only threads of core that do not come from the host's environment.
 */
public final class CallbackThreads {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Executor SHARED = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), CallbackThreads::thread);

    private CallbackThreads() {}

    public static Executor shared() {
        return SHARED;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "csi4j-engine-callback-" + NUMBER.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
