package io.csi4j.examples.walk;

import io.csi4j.core.call.Rpc;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What takes one step back.
 *
 * @param step its name in the log
 * @param subject what it is about, as the log shows it, for example {@code volume vol-1}. If a way back
 *     fails, nothing that lies further back for the same subject is tried: a volume whose unpublish
 *     failed must not be detached or deleted (R47-R49)
 * @param quiet whether success is worth no line
 * @param action does it; may be repeated
 * @param leftover what is left if it cannot be done, and how to remove it; empty if nothing that matters
 */
public record Back(String step, String subject, boolean quiet, Action action, String leftover) {
    /** Takes one step back. */
    public interface Action {
        /**
         * Does it.
         *
         * @param calls sends a call and waits for its answer
         * @throws IOException if it cannot be done
         */
        void run(CallRepeater calls) throws IOException;
    }

    /** Something that this program does by itself. */
    public interface LocalAction {
        /**
         * Does it.
         *
         * @throws IOException if it cannot be done
         */
        void run() throws IOException;
    }

    /**
     * The opposite RPC, the only cancel that CSI has (R30).
     *
     * @param rpc the RPC
     * @param subject what it is about
     * @param call sends it
     * @param leftover what is left if it cannot be done, and how to remove it
     * @param <T> the answer's type
     * @return a way back
     */
    public static <T> Back call(Rpc rpc, String subject, Supplier<CompletableFuture<T>> call, String leftover) {
        return new Back(rpc.csiName(), subject, false, calls -> calls.answer(call), leftover);
    }

    /**
     * Something that this program does by itself; no line unless it fails.
     *
     * @param step its name
     * @param subject what it is about
     * @param action does it
     * @param leftover what is left if it cannot be done, and how to remove it
     * @return a way back
     */
    public static Back local(String step, String subject, LocalAction action, String leftover) {
        return new Back(step, subject, true, calls -> action.run(), leftover);
    }
}
