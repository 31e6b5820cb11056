package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.node.NodeVolumeException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeFailuresTest {
    private static CsiCallException failure(StatusCode code) {
        return new CsiCallException(
                Rpc.NODE_PUBLISH_VOLUME,
                "p",
                null,
                code,
                CallOutcome.of(Rpc.NODE_PUBLISH_VOLUME, code, false),
                "failed with " + code,
                null);
    }

    private static Set<StatusCode> codes(Predicate<Throwable> rule) {
        EnumSet<StatusCode> codes = EnumSet.noneOf(StatusCode.class);
        Stream.of(StatusCode.values()).filter(code -> rule.test(failure(code))).forEach(codes::add);
        return codes;
    }

    @Test
    void statusCodeClassifiesFailureOfCall() {
        assertThat(codes(NodeFailures::permanent))
                .containsExactly(
                        StatusCode.INVALID_ARGUMENT,
                        StatusCode.ALREADY_EXISTS,
                        StatusCode.OUT_OF_RANGE,
                        StatusCode.UNIMPLEMENTED);
        assertThat(codes(NodeFailures::outcomeUnknown))
                .containsExactly(
                        StatusCode.CANCELLED,
                        StatusCode.UNKNOWN,
                        StatusCode.DEADLINE_EXCEEDED,
                        StatusCode.ABORTED,
                        StatusCode.INTERNAL,
                        StatusCode.UNAVAILABLE,
                        StatusCode.DATA_LOSS);
        assertThat(codes(error -> !NodeFailures.refused(error)))
                .containsExactly(
                        StatusCode.OK,
                        StatusCode.CANCELLED,
                        StatusCode.DEADLINE_EXCEEDED,
                        StatusCode.ABORTED,
                        StatusCode.UNAVAILABLE);
        assertThat(codes(NodeFailures::notFound)).containsExactly(StatusCode.NOT_FOUND);
        assertThat(codes(NodeFailures::unauthenticated)).containsExactly(StatusCode.UNAUTHENTICATED);
    }

    @Test
    void failureThatIsNoAnswerOfPluginIsClassifiedByItsType() {
        Throwable notSent = new IOException("nothing was sent");
        Throwable unexpected = new IllegalStateException("secret");
        Throwable request = new CsiRequestException("the request", List.of(new Problem("field", "is empty", "set it")));
        Throwable volume = new NodeVolumeException(NodeVolumeException.Reason.UNSUPPORTED, "unsupported");
        assertThat(Stream.of(notSent, unexpected, request, volume).filter(NodeFailures::permanent))
                .containsExactly(request, volume);
        assertThat(Stream.of(notSent, unexpected, request, volume).filter(NodeFailures::outcomeUnknown))
                .containsExactly(unexpected);
        assertThat(Stream.of(notSent, unexpected, request, volume))
                .noneMatch(NodeFailures::refused)
                .noneMatch(NodeFailures::notFound)
                .noneMatch(NodeFailures::unauthenticated);
        assertThat(NodeFailures.text(notSent)).isEqualTo("nothing was sent");
        assertThat(NodeFailures.text(volume)).contains("unsupported");
        assertThat(NodeFailures.text(unexpected)).isEqualTo("it failed with java.lang.IllegalStateException");
    }
}
