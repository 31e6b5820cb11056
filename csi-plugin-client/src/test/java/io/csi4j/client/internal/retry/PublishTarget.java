package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;

/** A NodePublishVolume call about a volume. */
record PublishTarget(String subject) implements CallTarget {
    @Override
    public Rpc rpc() {
        return Rpc.NODE_PUBLISH_VOLUME;
    }

    @Override
    public boolean continuesPage() {
        return false;
    }

    @Override
    public String location() {
        return "/target";
    }

    @Override
    public Object identity() {
        return subject;
    }

    @Override
    public String description() {
        return "NodePublishVolume for " + subject;
    }
}
