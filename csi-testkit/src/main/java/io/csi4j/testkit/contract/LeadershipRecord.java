package io.csi4j.testkit.contract;

import io.csi4j.core.spi.LeadershipListener;
import java.util.concurrent.CompletableFuture;

/** Remembers whether a server leads, as its log says. */
final class LeadershipRecord implements LeadershipListener {
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private volatile boolean leads;

    @Override
    public void startLeading() {
        leads = true;
        started.complete(null);
    }

    @Override
    public void stopLeading() {
        leads = false;
    }

    boolean leads() {
        return leads;
    }

    /** Completes when the server leads for the first time, on the thread that notifies this listener. */
    CompletableFuture<Void> started() {
        return started;
    }
}
