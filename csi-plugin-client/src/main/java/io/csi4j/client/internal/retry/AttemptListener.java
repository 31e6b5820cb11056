package io.csi4j.client.internal.retry;

/**
 * Is told how a try ended, once.
 *
 * @param <R> the answer
 */
public interface AttemptListener<R> {
    /**
     * The plugin answered.
     *
     * @param answer what it said
     */
    void answered(R answer);

    /**
     * No usable answer came.
     *
     * @param failure why; a {@link io.csi4j.core.call.CsiCallException} but for faults of ours
     * @param sent whether the plugin may have seen the call
     * @param repeatable false where repeating it would end the same way, whatever the table says
     */
    void failed(Throwable failure, boolean sent, boolean repeatable);
}
