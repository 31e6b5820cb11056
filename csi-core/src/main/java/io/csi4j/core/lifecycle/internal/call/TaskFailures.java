package io.csi4j.core.lifecycle.internal.call;

import org.jspecify.annotations.Nullable;

/** Runs tasks of which one that fails takes no other with it; what they threw is told at the end. For one thread. */
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

    /** Throws what the first task that failed threw, with the others behind it; nothing if none did. */
    void tell() {
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }
}
