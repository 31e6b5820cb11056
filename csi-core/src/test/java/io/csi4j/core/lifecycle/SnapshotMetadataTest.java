package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** Snapshot metadata through the engine: routing, repeats, secrets and authority. */
class SnapshotMetadataTest {
    private static final SnapshotId SNAPSHOT = SnapshotId.of("s1");
    private static final GetMetadataAllocatedRequest REQUEST =
            GetMetadataAllocatedRequest.builder(SNAPSHOT).build();

    private static LifecycleRig serving(LifecycleRig rig) {
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node)
                    .capabilities(known -> known.withServices(
                            PluginService.CONTROLLER_SERVICE, PluginService.SNAPSHOT_METADATA_SERVICE))
                    .build());
        }
        return rig;
    }

    /** The plugin knows the snapshot; it is one of the rig's volume. */
    private static void known(LifecycleRig rig) {
        rig.gateway.answer(
                Rpc.GET_SNAPSHOT,
                request -> new GetSnapshotResponse(
                        Snapshot.builder(SNAPSHOT, ExternalVolumeId.of("ext-" + LifecycleRig.VOL))
                                .readyToUse(true)
                                .build()));
    }

    private static MetadataPage<GetMetadataAllocatedResponse> page(boolean complete, long offset) {
        return new MetadataPage<>(
                List.of(new GetMetadataAllocatedResponse(
                        BlockMetadataType.VARIABLE_LENGTH, 1_000, List.of(new BlockMetadata(offset, 10)))),
                complete);
    }

    /** What a subscriber that asks for everything has got. */
    private static class All<T> implements Flow.Subscriber<T> {
        final List<T> items = new ArrayList<>();
        final CompletableFuture<Void> end = new CompletableFuture<>();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T item) {
            items.add(item);
        }

        @Override
        public void onError(Throwable failure) {
            end.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            end.complete(null);
        }
    }

    private static All<GetMetadataAllocatedResponse> stream(
            LifecycleRig rig, CallerOperations caller, GetMetadataAllocatedRequest request) {
        All<GetMetadataAllocatedResponse> all = new All<>();
        caller.snapshots()
                .metadata(LifecycleRig.PLUGIN)
                .getMetadataAllocated(request)
                .subscribe(all);
        rig.run();
        return all;
    }

    private static List<GetMetadataAllocatedRequest> asked(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.GET_METADATA_ALLOCATED).stream()
                .map(GetMetadataAllocatedRequest.class::cast)
                .toList();
    }

    @Test
    void pagesAreRequestedWithSecretsOfSourceVolume() {
        LifecycleRig rig = serving(LifecycleRig.leading()).volume(LifecycleRig.VOL);
        known(rig);
        rig.gateway
                .answer(Rpc.GET_METADATA_ALLOCATED, request -> page(false, 0))
                .answer(Rpc.GET_METADATA_ALLOCATED, request -> page(true, 40));
        All<GetMetadataAllocatedResponse> all = stream(rig, rig.host, REQUEST);
        assertThat(all.end).isCompleted();
        assertThat(all.items)
                .containsExactly(
                        page(false, 0).messages().get(0),
                        page(true, 40).messages().get(0));
        assertThat(asked(rig))
                .extracting(GetMetadataAllocatedRequest::startingOffset)
                .containsExactly(0L, 10L);
        assertThat(asked(rig))
                .extracting(request -> request.secrets().asMap())
                .containsOnly(Map.of("password", "hunter2"));
    }

    @Test
    void secretsGivenInRequestReplaceSecretsOfSourceVolume() {
        LifecycleRig rig = serving(LifecycleRig.leading()).volume(LifecycleRig.VOL);
        known(rig);
        rig.gateway.answer(Rpc.GET_METADATA_ALLOCATED, request -> page(true, 0));
        Secrets own = Secrets.of(Map.of("token", "t"));
        stream(rig, rig.host, REQUEST.toBuilder().secrets(own).build());
        assertThat(asked(rig)).extracting(GetMetadataAllocatedRequest::secrets).containsExactly(own);
    }

    @Test
    void pageWithLostResponseIsRequestedAgain() {
        LifecycleRig rig = serving(LifecycleRig.leading()).volume(LifecycleRig.VOL);
        known(rig);
        rig.gateway
                .fail(Rpc.GET_METADATA_ALLOCATED, StatusCode.DEADLINE_EXCEEDED)
                .answer(Rpc.GET_METADATA_ALLOCATED, request -> page(true, 0));
        All<GetMetadataAllocatedResponse> all = stream(rig, rig.host, REQUEST);
        assertThat(all.end).isNotDone();
        rig.later(all.end);
        assertThat(all.items).hasSize(1);
        assertThat(asked(rig)).hasSize(2);
    }

    @Test
    void unknownSnapshotFailsStream() {
        LifecycleRig rig = serving(LifecycleRig.leading()).volume(LifecycleRig.VOL);
        known(rig);
        rig.gateway.fail(Rpc.GET_METADATA_ALLOCATED, StatusCode.OUT_OF_RANGE);
        All<GetMetadataAllocatedResponse> all = stream(rig, rig.host, REQUEST);
        assertThatThrownBy(all.end::join)
                .hasCauseInstanceOf(CsiCallException.class)
                .hasMessageContaining("OUT_OF_RANGE");
        assertThat(asked(rig)).hasSize(1);
    }

    @Test
    void bothSnapshotsAreQueriedWhenPermissionForDeltaIsChecked() {
        LifecycleRig rig = serving(LifecycleRig.guarded());
        rig.grant(Permission.PLUGIN_READ, Permission.MANAGEMENT);
        All<GetMetadataDeltaResponse> all = new All<>();
        rig.gateway
                .fail(Rpc.GET_SNAPSHOT, StatusCode.NOT_FOUND)
                .fail(Rpc.GET_SNAPSHOT, StatusCode.NOT_FOUND)
                .answer(Rpc.GET_METADATA_DELTA, request -> new MetadataPage<GetMetadataDeltaResponse>(List.of(), true));
        rig.as("backup")
                .snapshots()
                .metadata(LifecycleRig.PLUGIN)
                .getMetadataDelta(GetMetadataDeltaRequest.builder(SnapshotId.of("s0"), SNAPSHOT)
                        .build())
                .subscribe(all);
        rig.run();
        assertThat(all.end).isCompleted();
        assertThat(rig.gateway.requests(Rpc.GET_SNAPSHOT)).hasSize(2);
    }

    @Test
    void streamWithoutReadPermissionIsDeniedBeforeCallingPlugin() {
        LifecycleRig rig = serving(LifecycleRig.guarded());
        rig.grant(Permission.PLUGIN_READ);
        known(rig);
        All<GetMetadataAllocatedResponse> all = stream(rig, rig.as("backup"), REQUEST);
        assertThatThrownBy(all.end::join).hasCauseInstanceOf(AccessDeniedException.class);
        assertThat(asked(rig)).isEmpty();
    }

    @Test
    void requestToPluginWithoutMetadataServiceIsRejectedBeforeCall() {
        LifecycleRig rig = LifecycleRig.leading();
        All<GetMetadataAllocatedResponse> all = stream(rig, rig.host, REQUEST);
        assertThatThrownBy(all.end::join)
                .hasCauseInstanceOf(CsiRequestException.class)
                .hasMessageContaining("SNAPSHOT_METADATA_SERVICE");
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void cancelledStreamRequestsNothingMore() {
        LifecycleRig rig = serving(LifecycleRig.leading()).volume(LifecycleRig.VOL);
        known(rig);
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.GET_METADATA_ALLOCATED) {
                call.fail(StatusCode.UNAVAILABLE);
            } else {
                call.succeed();
            }
            return true;
        };
        List<Flow.Subscription> subscriptions = new ArrayList<>();
        All<GetMetadataAllocatedResponse> all = new All<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriptions.add(subscription);
                super.onSubscribe(subscription);
            }
        };
        rig.host
                .snapshots()
                .metadata(LifecycleRig.PLUGIN)
                .getMetadataAllocated(REQUEST)
                .subscribe(all);
        rig.clock.advance(Duration.ofSeconds(5));
        int before = asked(rig).size();
        assertThat(before).isPositive();

        subscriptions.get(0).cancel();

        rig.clock.advance(Duration.ofHours(1));
        assertThat(asked(rig)).hasSize(before);
        assertThat(all.items).isEmpty();
    }
}
