package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.QuotaEvent;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse.Amount;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeQuota;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VolumeQuotasTest {
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final QuotaKey ALL = QuotaKey.of(NAMESPACE);

    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle leader = rig.engine();
    /** A server that runs beside the leader, over the same log. */
    private final VolumeLifecycle follower = VolumeLifecycle.builder()
            .log(rig.log)
            .gateway(rig.gateway)
            .environment(rig.clock.environment(new Random(8)))
            .callbackExecutor(rig.clock)
            .build();

    private final VolumeQuotas quotas = follower.quotas();

    private static VolumeQuota quota(long volumes, long bytes) {
        return new VolumeQuota(ALL, OptionalLong.of(volumes), OptionalLong.of(bytes));
    }

    private CompletableFuture<Volume> create(VolumeLifecycle server, String id, long bytes) {
        return server.volumes()
                .create(
                        VolumeKey.of("default", id),
                        VolumeRig.spec()
                                .capacityRange(CapacityRange.atLeast(bytes))
                                .build());
    }

    private Rejection.QuotaExceeded exceeded(CompletableFuture<?> result) {
        return (Rejection.QuotaExceeded)
                rig.failed(result, RejectedException.class).reason();
    }

    @Test
    void serversTogetherCreateNotMoreThanTheQuotaPermits() {
        rig.done(quotas.put(quota(3, 1000)));
        List<CompletableFuture<Volume>> asked = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            asked.add(create(i % 2 == 0 ? leader : follower, "v" + i, 300));
        }
        rig.run();
        long made =
                asked.stream().filter(one -> !one.isCompletedExceptionally()).count();
        assertThat(made).isEqualTo(3);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(3);
        QuotaView view = rig.done(quotas.get(ALL));
        assertThat(view.use().ready()).isEqualTo(new Amount(3, view.use().bytes()));
        CompletableFuture<Volume> refused = asked.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .findFirst()
                .orElseThrow();
        assertThat(exceeded(refused).excesses()).isNotEmpty();
        assertThat(rig.failed(refused, CsiException.class).retryable()).isFalse();
    }

    @Test
    void deletedVolumeMakesRoom() {
        rig.done(quotas.put(quota(1, 1000)));
        rig.done(create(leader, "a", 400));
        rig.failed(create(leader, "b", 400), RejectedException.class);
        rig.done(leader.volumes().delete(VolumeKey.of("default", "a")));
        assertThat(rig.done(quotas.get(ALL)).use().volumes()).isZero();
        rig.done(create(leader, "b", 400));
    }

    @Test
    void expansionOverTheLimitIsRefusedBeforeThePluginIsCalled() {
        rig.done(create(leader, "a", 400));
        rig.done(quotas.put(quota(1, 1000)));
        assertThat(exceeded(leader.volumes().expand(VolumeKey.of("default", "a"), CapacityRange.atLeast(1001)))
                        .excesses())
                .hasSize(1);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
        rig.done(leader.volumes().expand(VolumeKey.of("default", "a"), CapacityRange.atLeast(1000)));
    }

    @Test
    void creationWithoutASizeIsRefusedWithItsRemedy() {
        rig.done(quotas.put(quota(9, 1000)));
        RejectedException refused = rig.failed(
                leader.volumes()
                        .create(VolumeKey.of("default", "a"), VolumeRig.spec().build()),
                RejectedException.class);
        assertThat(refused).hasMessageContainingAll("capacityRange", "limits bytes", "give requiredBytes");
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
    }

    @Test
    void badLimitsAreRefusedBeforeTheLog() {
        int before = rig.log.submitted;
        assertThat(rig.failed(quotas.put(quota(-1, -2)), CsiRequestException.class))
                .hasMessageContainingAll("volumes", "is -1", "bytes", "is -2", "give 0 or more");
        assertThat(rig.failed(
                        quotas.put(new VolumeQuota(ALL, OptionalLong.empty(), OptionalLong.empty())),
                        CsiRequestException.class))
                .hasMessageContaining("limits nothing");
        for (CompletableFuture<?> unknown : List.of(quotas.get(ALL), quotas.remove(ALL))) {
            assertThat(rig.failed(unknown, CsiRequestException.class))
                    .hasMessageContainingAll("quota of namespace default, which does not exist", "list the quotas");
        }
        assertThat(rig.log.submitted).isEqualTo(before);
    }

    @Test
    void changeOfAnOldVersionIsRefused() {
        rig.done(quotas.put(quota(1, 1)));
        long index = rig.done(quotas.get(ALL)).modifyIndex();
        rig.done(quotas.put(quota(2, 2), index));
        assertThat(rig.failed(quotas.put(quota(3, 3), index), RejectedException.class)
                        .reason())
                .isInstanceOf(Rejection.QuotaChanged.class);
        assertThat(rig.done(quotas.get(ALL)).volumes()).hasValue(2);
    }

    @Test
    void pagesHaveEachQuotaOnceInTheOrderOfKeys() {
        List<QuotaKey> keys = new ArrayList<>();
        for (String namespace : List.of("a", "b", "c")) {
            keys.add(QuotaKey.of(Namespace.of(namespace)));
            keys.add(QuotaKey.of(Namespace.of(namespace), VolumeClassName.of("fast")));
            keys.add(QuotaKey.of(Namespace.of(namespace), VolumeClassName.of("slow")));
        }
        for (QuotaKey key :
                List.of(2, 5, 8, 1, 4, 7, 0, 3, 6).stream().map(keys::get).toList()) {
            rig.done(quotas.put(new VolumeQuota(key, OptionalLong.of(1), OptionalLong.empty())));
        }
        List<QuotaKey> listed = new ArrayList<>();
        Optional<QuotaKey> after = Optional.empty();
        do {
            ListPage<QuotaView, QuotaKey> page = rig.done(quotas.list(new QuotaQuery(Optional.empty(), after, 2)));
            page.items().forEach(view -> listed.add(view.key()));
            after = page.next();
        } while (after.isPresent());
        assertThat(listed).isEqualTo(keys);
        assertThat(rig.done(quotas.list(QuotaQuery.of(Namespace.of("b")))).items())
                .extracting(QuotaView::key)
                .isEqualTo(keys.subList(3, 6));
    }

    @Test
    void callerSeesTheQuotasOfItsNamespaceAndChangesNone() {
        rig.access = (caller, access) -> !caller.getName().equals("eve")
                || access.equals(Access.in(Namespace.of("eve"), Permission.VOLUME_LIST));
        VolumeLifecycle host = rig.engine();
        QuotaKey own = QuotaKey.of(Namespace.of("eve"));
        rig.done(host.quotas().put(new VolumeQuota(own, OptionalLong.of(1), OptionalLong.empty())));
        rig.done(host.quotas().put(quota(1, 1)));
        VolumeQuotas eve = host.as(() -> "eve").quotas();
        assertThat(rig.done(eve.list(QuotaQuery.of(own.namespace()))).items()).hasSize(1);
        assertThat(rig.done(eve.get(own)).volumes()).hasValue(1);
        for (CompletableFuture<?> denied : List.of(
                eve.list(QuotaQuery.all()),
                eve.list(QuotaQuery.of(NAMESPACE)),
                eve.get(ALL),
                eve.put(new VolumeQuota(own, OptionalLong.of(9), OptionalLong.empty())),
                eve.remove(own))) {
            rig.failed(denied, AccessDeniedException.class);
        }
    }

    @Test
    void eachChangeAndEachOverrunIsAnEvent() {
        List<QuotaEvent> events = new ArrayList<>();
        rig.listener = new EventListener() {
            @Override
            public void quotaChanged(QuotaEvent event) {
                assertThat(event.key()).isEqualTo(ALL);
                events.add(event);
            }
        };
        VolumeLifecycle reported = rig.engine();
        rig.done(reported.quotas().put(quota(5, 1000)));
        rig.done(reported.quotas().put(quota(5, 1000)));
        rig.done(reported.quotas().put(quota(5, 500)));
        Volume made = rig.done(create(reported, "a", 500));
        rig.done(reported.log()
                .submit(new io.csi4j.core.internal.command.VolumeCommand.RecordProviderFacts(
                        made.key(),
                        made.facts().toBuilder().capacityBytes(501).build(),
                        made.createIndex(),
                        made.createdAt())));
        assertThat(rig.done(reported.quotas().get(ALL)).over()).isTrue();
        rig.done(reported.quotas().remove(ALL));
        rig.run();
        assertThat(events)
                .extracting(QuotaEvent::change)
                .containsExactly(
                        QuotaEvent.Change.ADDED,
                        QuotaEvent.Change.REPLACED,
                        QuotaEvent.Change.OVER_BY_PROVIDER,
                        QuotaEvent.Change.REMOVED);
        assertThat(events.get(2).volume()).contains(made.key());
    }
}
