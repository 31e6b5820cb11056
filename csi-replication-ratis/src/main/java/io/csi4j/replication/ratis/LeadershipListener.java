package io.csi4j.replication.ratis;

/**
 * Handles the beginning and the end of this peer's leadership. The methods are called one at a time, in order, on a
 * thread of the log; they may block.
 */
public interface LeadershipListener {
    /**
     * This peer leads from now on. The state has every command that was committed before, and no other peer's engine
     * acts any more.
     */
    void startLeading();

    /**
     * This peer does not lead: its leadership has ended, or it did not lead when this listener was added. Also called
     * when the log closes or fails while this peer leads.
     */
    void stopLeading();
}
