package io.csi4j.core.lifecycle.internal.call;

import org.jspecify.annotations.Nullable;

/** Runs several tasks although some may fail, and throws their failures at the end. For one thread. */
final class TaskFailures {
    private @Nullable Throwable first;

    void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            if (first == null) {
                first = e;
            } else if (!first.equals(e)) {
                first.addSuppressed(e);
            }
        }
    }

    /** Throws the first failure, with the others suppressed; returns if there is none. */
    void tell() {
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }
}
