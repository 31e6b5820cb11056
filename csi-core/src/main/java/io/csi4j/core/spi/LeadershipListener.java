package io.csi4j.core.spi;

/**
 * Handles the beginning and the end of this server's leadership. The methods are called one at a time, in order, on a
 * thread of the log or of the environment; they may block.
 */
public interface LeadershipListener {
    /**
     * This server leads from now on. The state has every command that was committed before, and no other server's engine
     * acts any more.
     */
    void startLeading();

    /**
     * This server does not lead: its leadership has ended, or it did not lead when this listener was added. Also called
     * when the log closes or fails while this server leads.
     */
    void stopLeading();
}
