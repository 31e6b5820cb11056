package io.csi4j.node.internal.codec;

import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.AgentProto.Version;
import java.util.Optional;

/** The version of the protocol between servers and agents. */
public final class ProtocolVersion {
    public static final int MAJOR = 1;
    public static final int MINOR = 5;
    public static final Version OURS =
            Version.newBuilder().setMajor(MAJOR).setMinor(MINOR).build();

    private ProtocolVersion() {}

    /**
     * Returns the failure for a request of an incompatible protocol version; empty if the version is accepted. Minor versions are
     * compatible.
     */
    public static Optional<Failure> refusal(Version theirs, Origin us) {
        if (theirs.getMajor() == MAJOR) {
            return Optional.empty();
        }
        String said = theirs.getMajor() == 0 ? "no version" : "version " + theirs.getMajor() + "." + theirs.getMinor();
        return Optional.of(Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_VERSION)
                .setOrigin(us)
                .setNotSent(true)
                .setRetryable(true)
                .setMessage("version: the request has " + said + ", and this side speaks " + MAJOR + "." + MINOR
                        + "; run releases of csi4j with the same major version of the agent's protocol on both sides")
                .build());
    }
}
