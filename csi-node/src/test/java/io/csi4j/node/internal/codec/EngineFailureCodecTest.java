package io.csi4j.node.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.NotAdmitted;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.values.v1.ValuesProto.VolumeName;
import org.junit.jupiter.api.Test;

/** Exceptions of the engine are encoded and decoded again. */
class EngineFailureCodecTest {
    private static Object there(Throwable failure) {
        return EngineFailureCodec.read(FailureCodec.write(failure, Origin.ORIGIN_SERVER))
                .orElseThrow();
    }

    @Test
    void decodedCallFailureKeepsRpcStatusCodeAndOutcome() {
        CsiCallException call = new CsiCallException(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                "ebs",
                "ext-db",
                StatusCode.INVALID_ARGUMENT,
                CallOutcome.CHANGE_REQUEST,
                "unfit",
                null);

        CsiCallException read = (CsiCallException) there(call);

        assertThat(read.rpc()).isEqualTo(Rpc.CONTROLLER_PUBLISH_VOLUME);
        assertThat(read.plugin()).isEqualTo("ebs");
        assertThat(read.volume()).contains("ext-db");
        assertThat(read.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        assertThat(read.outcome()).isEqualTo(CallOutcome.CHANGE_REQUEST);
        assertThat(read).hasMessage("unfit");
    }

    @Test
    void decodedClaimLostExceptionKeepsVolumeAndAllocation() {
        VolumeKey key = VolumeKey.of("default", "db");

        ClaimLostException read = (ClaimLostException) there(new ClaimLostException(key, AllocationId.of("web-1")));

        assertThat(read.volume()).isEqualTo(key);
        assertThat(read.allocationId()).isEqualTo(AllocationId.of("web-1"));
    }

    @Test
    void exceptionTypeFromNewerVersionIsNotDecoded() {
        Failure newer = Failure.newBuilder()
                .setKind(FailureKind.FAILURE_KIND_REJECTED)
                .setNotAdmitted(NotAdmitted.newBuilder()
                        .setVolume(
                                VolumeName.newBuilder().setNamespace("default").setVolumeId("db"))
                        .setAllocationId("web-1")
                        .setReason("NOT_KNOWN_HERE"))
                .build();

        assertThat(EngineFailureCodec.read(newer)).isEmpty();
    }
}
