package io.csi4j.client.retry;

/**
 * Is told of each try of each call, a call with many answers being one try: what metrics by plugin, method and code are made of, and the only
 * place where a try that was repeated shows. Calls that are refused before anything is sent have no try.
 *
 * <p>Called by the thread that brings the end, before the caller is told; so it must be quick and must not block. Safe
 * for use by many threads.
 */
@FunctionalInterface
public interface AttemptObserver {
    /**
     * A try has ended. What this throws is logged, and the call goes on.
     *
     * @param event what is to be known of it
     */
    void tried(AttemptEvent event);
}
