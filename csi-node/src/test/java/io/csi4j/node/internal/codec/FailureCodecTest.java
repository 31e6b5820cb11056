package io.csi4j.node.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failed request may be repeated if the failure says so, or if its kind is not known. */
class FailureCodecTest {
    private static final int NEWER_KIND = 1_000;

    @ParameterizedTest
    @EnumSource
    void onlyFailureOfUnknownKindMayRepeatWithoutPermission(FailureKind kind) {
        int number = kind == FailureKind.UNRECOGNIZED ? NEWER_KIND : kind.getNumber();
        Failure.Builder failure = Failure.newBuilder().setKindValue(number);
        assertThat(FailureCodec.mayRepeat(failure.build()))
                .isEqualTo(kind == FailureKind.UNRECOGNIZED || kind == FailureKind.FAILURE_KIND_UNSPECIFIED);
        assertThat(FailureCodec.mayRepeat(failure.setRetryable(true).build())).isTrue();
    }
}
