package io.csi4j.ratis;

/** Follows whether this peer leads. The calls come one at a time, in order, on a thread of the log; they may block. */
public interface LeadershipListener {
    /**
     * This peer leads from now on. The state has every command that was committed before, and no other peer's engine
     * acts any more.
     */
    void startLeading();

    /** This peer does not lead, or not any more. Also called when the log closes or fails while it leads. */
    void stopLeading();
}
