package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.testkit.contract.FarNode.Arrived;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link NodeGateway} as tests, for a transport of a host. The tests use {@code detach}, {@code expand}, {@code volumeStats},
 * {@code volumeHealth}, {@code storageHealth}, {@code ledger} and {@code controller}. A gateway that leaves one of the queries to its default
 * implementation passes as well.
 */
public interface NodeGatewayContract {
    /**
     * Opens a gateway that cannot reach any node yet.
     *
     * @param deadline the deadline of each of its requests, or of each step of a request
     */
    NodeGateway open(Duration deadline) throws IOException;

    /**
     * Starts the node's side of the transport, and makes it known to the gateway.
     *
     * @param gateway a gateway of {@link #open}
     * @param nodeId the node
     * @param node answers the requests; the node's side passes each request on to it
     */
    void connect(NodeGateway gateway, NodeId nodeId, NodeGateway node) throws IOException;

    /** Closes a gateway and the node's side. */
    void close(NodeGateway gateway) throws IOException;

    /** Returns the time after which an answer counts as missing; 20 seconds. */
    default Duration patience() {
        return Duration.ofSeconds(20);
    }

    private <R> void arrives(Function<NodeGateway, CompletableFuture<R>> call, Object request, R answer)
            throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            CompletableFuture<R> future = use.call(call);
            if (future.isCompletedExceptionally()
                    && use.failure(future) instanceof CsiCallException unsupported
                    && unsupported.code() == StatusCode.UNIMPLEMENTED) {
                return;
            }
            Arrived arrived = use.arrived();
            assertThat(arrived.request())
                    .as("the request at the node")
                    .usingRecursiveComparison()
                    .isEqualTo(request);
            arrived.answer().complete(answer);
            assertThat(use.within("the answer", future)).as("the answer").isEqualTo(answer);
        }
    }

    /** A detach arrives with the volume, the allocation and the machine, and its answer with the other uses. */
    @Test
    default void detachArrivesWithItsFields() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            NodeDetach request = GatewayRequests.detach();
            CompletableFuture<NodeDetached> future = use.call(gateway -> gateway.detach(GatewayRequests.NODE, request));
            Arrived arrived = use.arrived();
            NodeDetach there = (NodeDetach) arrived.request();
            assertThat(List.of(
                            there.volume(),
                            there.pluginId(),
                            there.externalVolumeId(),
                            there.allocationId(),
                            there.externalNodeId()))
                    .as("the request at the node")
                    .isEqualTo(List.of(
                            request.volume(),
                            request.pluginId(),
                            request.externalVolumeId(),
                            request.allocationId(),
                            request.externalNodeId()));
            arrived.answer().complete(GatewayRequests.detached());
            assertThat(use.within("the answer", future)).as("the answer").isEqualTo(GatewayRequests.detached());
        }
    }

    /** An expansion and its answer arrive with all fields. */
    @Test
    default void expandArrivesWithItsFields() throws Exception {
        arrives(
                gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(5)),
                GatewayRequests.expand(5),
                new NodeExpansion(6));
    }

    /** The queries for usage and health arrive with all fields, as do their answers. */
    @Test
    default void queriesArriveWithTheirFields() throws Exception {
        arrives(
                gateway -> gateway.volumeStats(GatewayRequests.NODE, GatewayRequests.query()),
                GatewayRequests.query(),
                new NodeGetVolumeStatsResponse(
                        List.of(new VolumeUsage(1, 3, 2, VolumeUsageUnit.BYTES)), Optional.empty()));
        arrives(
                gateway -> gateway.volumeHealth(GatewayRequests.NODE, GatewayRequests.query()),
                GatewayRequests.query(),
                new NodeGetVolumeHealthResponse(Optional.empty()));
        arrives(
                gateway -> gateway.storageHealth(GatewayRequests.NODE, GatewayRequests.storage()),
                GatewayRequests.storage(),
                new NodeGetStorageHealthResponse(List.of()));
    }

    /** The report of what is mounted arrives complete. */
    @Test
    default void ledgerArrivesComplete() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var future = use.call(gateway -> gateway.ledger(GatewayRequests.NODE));
            use.arrived().answer().complete(GatewayRequests.ledger());
            assertThat(use.within("the answer", future)).as("the answer").isEqualTo(GatewayRequests.ledger());
        }
    }

    /** A failure of a plugin on the node arrives with its status code and its outcome. */
    @Test
    default void failureArrivesWithCodeAndOutcome() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var future = use.call(gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(5)));
            use.arrived()
                    .answer()
                    .completeExceptionally(new CsiCallException(
                            Rpc.NODE_EXPAND_VOLUME,
                            "contract.example.com",
                            "external",
                            StatusCode.FAILED_PRECONDITION,
                            CallOutcome.RETRY_AFTER_CAUSE,
                            "the volume is in use",
                            null));
            assertThat(use.failure(future)).isInstanceOfSatisfying(CsiCallException.class, there -> {
                assertThat(there.code()).as("the status code").isEqualTo(StatusCode.FAILED_PRECONDITION);
                assertThat(there.outcome()).as("the outcome").isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
            });
        }
    }

    /** A future completes after the node has answered, not when the request was sent. */
    @Test
    default void futureCompletesAfterTheNodeHasAnswered() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var future = use.call(gateway -> gateway.detach(GatewayRequests.NODE, GatewayRequests.detach()));
            Arrived arrived = use.arrived();
            assertThat(future).as("the future before the node has answered").isNotDone();
            arrived.answer().complete(GatewayRequests.detached());
            use.within("the answer", future);
        }
    }

    /** A request that the node never answers fails at its deadline, with an unknown outcome. */
    @Test
    default void requestWithoutAnswerFails() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, Duration.ofSeconds(2))) {
            var future = use.call(gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(5)));
            use.arrived();
            assertThat(use.failure(future))
                    .as("the failure of a request without an answer")
                    .satisfiesAnyOf(
                            failure -> assertThat(failure).isNotInstanceOf(CsiCallException.class),
                            failure -> assertThat(((CsiCallException) failure).outcome())
                                    .isEqualTo(CallOutcome.OUTCOME_UNKNOWN));
        }
    }

    /** A request reaches the node once. */
    @Test
    default void requestReachesTheNodeOnce() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var first = use.call(gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(5)));
            use.arrived().answer().complete(new NodeExpansion(5));
            use.within("the answer", first);
            var later = use.call(gateway -> gateway.ledger(GatewayRequests.NODE));
            Arrived next = use.arrived();
            while (next.request() instanceof NodeExpand) {
                next = use.arrived();
            }
            next.answer().complete(GatewayRequests.ledger());
            use.within("the answer to the next request", later);
            assertThat(use.node.requests()).as("the requests at the node").hasSize(2);
        }
    }

    /** Each of two requests in flight gets its own answer, in whichever order the node answers. */
    @Test
    default void answersBelongToTheirRequests() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var one = use.call(gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(100)));
            Arrived first = use.arrived();
            var two = use.call(gateway -> gateway.expand(GatewayRequests.NODE, GatewayRequests.expand(200)));
            Arrived second = use.arrived();
            second.answer().complete(new NodeExpansion(200));
            assertThat(use.within("the second answer", two).capacityBytes())
                    .as("the answer to the second request")
                    .isEqualTo(200);
            first.answer().complete(new NodeExpansion(100));
            assertThat(use.within("the first answer", one).capacityBytes())
                    .as("the answer to the first request")
                    .isEqualTo(100);
        }
    }

    /** No future completes with null, also if the node knows nothing of other uses. */
    @Test
    default void noAnswerIsNull() throws Exception {
        try (GatewayUse use = GatewayUse.connected(this, GatewayUse.LONG)) {
            var future = use.call(gateway -> gateway.detach(GatewayRequests.NODE, GatewayRequests.detach()));
            use.arrived().answer().complete(NodeDetached.othersUnknown());
            assertThat(use.within("the answer", future)).as("the answer").isNotNull();
        }
    }

    /** A request to a node that cannot be reached fails with UNAVAILABLE, and is not sent later. */
    @Test
    default void requestThatWasNotSentIsNeverSent() throws Exception {
        try (GatewayUse use = GatewayUse.alone(this, Duration.ofSeconds(5))) {
            var failed = use.call(gateway -> gateway.detach(GatewayRequests.NODE, GatewayRequests.detach()));
            assertThat(use.failure(failed))
                    .isInstanceOfSatisfying(
                            CsiCallException.class,
                            failure -> assertThat(failure.code())
                                    .as("the status code of a request that was not sent")
                                    .isEqualTo(StatusCode.UNAVAILABLE));
            use.connect();
            var later = use.call(gateway -> gateway.ledger(GatewayRequests.NODE));
            Arrived next = use.arrived();
            while (next.request() instanceof NodeDetach) {
                next = use.arrived();
            }
            next.answer().complete(GatewayRequests.ledger());
            use.within("the answer to the next request", later);
            assertThat(use.node.requests()).as("the requests at the node").containsExactly("ledger");
        }
    }

    /** A controller on a node that cannot be reached is a service whose calls fail with UNAVAILABLE. */
    @Test
    default void callOfUnreachableControllerFails() throws Exception {
        try (GatewayUse use = GatewayUse.alone(this, Duration.ofSeconds(5))) {
            InstanceKey instance = new InstanceKey(
                    GatewayRequests.NODE, GatewayRequests.PLUGIN, PluginType.CONTROLLER, Optional.empty());
            var failed = use.call(gateway -> gateway.controller(instance)
                    .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("external"))
                            .build()));
            assertThat(use.failure(failed))
                    .isInstanceOfSatisfying(
                            CsiCallException.class,
                            failure -> assertThat(failure.code())
                                    .as("the status code of a call to a controller that cannot be reached")
                                    .isEqualTo(StatusCode.UNAVAILABLE));
        }
    }
}
