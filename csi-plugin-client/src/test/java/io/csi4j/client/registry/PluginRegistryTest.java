package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.registry.PluginChange.Kind;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The registry with virtual time. */
class PluginRegistryTest {
    private static final PluginId P = PluginId.of("p");

    private final RegistryWorld world = new RegistryWorld(1);

    @AfterEach
    void close() {
        world.close();
    }

    private PluginRegistry registry() {
        return world.registry;
    }

    private Optional<InstanceKey> leader(PluginRole role) {
        return registry()
                .snapshot()
                .leader(role, P)
                .map(each -> each.registration().key());
    }

    @Test
    void olderInstanceBecomesPreferredWhenNewestEnds() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        InstanceKey young = world.ready("p", PluginType.NODE, "young");
        assertThat(leader(PluginRole.NODE)).contains(young);

        var unused = registry().deregister(young);

        assertThat(leader(PluginRole.NODE)).contains(old);
    }

    @Test
    void readyOlderInstanceStaysPreferredWhileNewestIsNotReady() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        InstanceKey young = RegistryWorld.key("p", PluginType.NODE, "young");
        var unused = registry().register(RegistryWorld.registration(young, 0));
        world.time.advance(Duration.ofSeconds(200));
        assertThat(leader(PluginRole.NODE)).contains(old);
        assertThat(registry().snapshot().instances(PluginRole.NODE, P))
                .extracting(each -> each.registration().key())
                .containsExactly(young, old);
    }

    @Test
    void olderInstanceIsPreferredWhileNewestIsUnhealthy() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        InstanceKey young = world.ready("p", PluginType.NODE, "young");
        world.pluginOf(young).fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        world.time.advance(Duration.ofSeconds(17));
        assertThat(leader(PluginRole.NODE)).contains(old);
        world.pluginOf(young).recover();
        world.time.advance(Duration.ofSeconds(10));
        assertThat(leader(PluginRole.NODE)).contains(young);
    }

    @Test
    void newestInstanceStaysPreferredWhenOldInstanceIsRemoved() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        InstanceKey young = world.ready("p", PluginType.NODE, "young");
        var unused = registry().deregister(old);
        assertThat(leader(PluginRole.NODE)).contains(young);
        assertThat(registry().snapshot().instances()).hasSize(1);
    }

    @Test
    void instanceWithBothServicesServesBothRoles() {
        InstanceKey both = world.ready("p", PluginType.MONOLITH, "both");
        InstanceKey node = world.ready("p", PluginType.NODE, "node");
        assertThat(leader(PluginRole.CONTROLLER)).contains(both);
        assertThat(leader(PluginRole.NODE)).contains(node);
        assertThat(registry().snapshot().leaders(PluginRole.CONTROLLER)).containsOnlyKeys(P);

        var unused = registry().deregister(both);
        assertThat(leader(PluginRole.CONTROLLER)).isEmpty();
        assertThat(leader(PluginRole.NODE)).contains(node);
    }

    @Test
    void deregisteringUnknownInstanceChangesNothing() {
        world.ready("p", PluginType.NODE, "a");
        int[] reported = new int[1];
        var unused = registry().subscribe((snapshot, changes) -> reported[0]++);
        world.time.run();
        RegistrySnapshot before = registry().snapshot();
        int saves = world.store.saves;

        assertThat(registry().deregister(RegistryWorld.key("p", PluginType.NODE, "b")))
                .isCompletedWithValue(false);
        assertThat(registry().deregister(RegistryWorld.key("q", PluginType.NODE, "a")))
                .isCompletedWithValue(false);
        assertThat(registry().deregister(RegistryWorld.key("p", PluginType.CONTROLLER, "a")))
                .isCompletedWithValue(false);
        world.time.run();

        assertThat(registry().snapshot()).isSameAs(before);
        assertThat(reported[0]).isEqualTo(1);
        assertThat(world.store.saves).isEqualTo(saves);
    }

    @Test
    void instanceRegisteredAgainKeepsItsPositionInList() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        world.ready("p", PluginType.NODE, "young");
        PluginRegistration same = RegistryWorld.registration(old, 0);
        RegistrySnapshot before = registry().snapshot();
        assertThat(registry().register(same)).isCompletedWithValue(Registered.UNCHANGED);
        assertThat(registry().snapshot()).isSameAs(before);

        ScriptedPlugin replaced = world.pluginOf(old);
        List<PluginChange> changes = new ArrayList<>();
        var subscription = registry().subscribe((snapshot, news) -> changes.addAll(news));
        world.time.run();
        changes.clear();
        CompletableFuture<Registered> done = registry().register(RegistryWorld.registration(old, 1));
        world.time.run();

        assertThat(done).isCompletedWithValue(Registered.REPLACED);
        assertThat(changes).extracting(PluginChange::kind).contains(Kind.REPLACED);
        assertThat(replaced.closed).isEqualTo(1);
        assertThat(registry().snapshot().instances())
                .extracting(each -> each.registration().key())
                .endsWith(old);
        // The facts that the instance reported before are kept when its socket is lost.
        assertThat(registry().snapshot().instance(old).orElseThrow().snapshot().facts())
                .isPresent();
        subscription.cancel();
    }

    @Test
    void registrationWithSocketOfAnotherInstanceIsRejected() {
        world.ready("p", PluginType.NODE, "a");
        Path socket = RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "a"), 0)
                .socket();
        InstanceKey other = RegistryWorld.key("p", PluginType.NODE, "b");
        assertThatThrownBy(() -> registry().register(PluginRegistration.of(other, socket)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(socket.toString())
                .hasMessageContaining("give each instance its own");
    }

    @Test
    void oneOfTwoConcurrentRegistrationsOfSameSocketIsRejected() {
        InstanceKey first = RegistryWorld.key("p", PluginType.NODE, "first");
        InstanceKey second = RegistryWorld.key("p", PluginType.NODE, "second");
        Path socket = Path.of("/run/one");
        Path same = Path.of("/run/x/../one");
        // Registers the second instance while the connection of the first one is created, after the check that the
        // socket is free.
        world.connecting = registration -> {
            if (registration.key().equals(first)) {
                var unused = registry().register(PluginRegistration.of(second, same));
            }
        };
        assertThatThrownBy(() -> registry().register(PluginRegistration.of(first, socket)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give each instance its own");
        world.time.run();
        assertThat(registry().snapshot().instances())
                .extracting(each -> each.registration().key())
                .containsExactly(second);
        assertThat(world.at(socket).closed)
                .as("the connection of the refused instance is closed")
                .isEqualTo(1);
    }

    @Test
    void instanceOfAnotherNodeIsRejected() {
        InstanceKey elsewhere = new InstanceKey(NodeId.of("node-2"), P, PluginType.NODE, Optional.empty());
        assertThatThrownBy(() -> registry().register(PluginRegistration.of(elsewhere, Path.of("/run/x"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node-2");
    }

    @Test
    void instanceIsFoundByItsAllocation() {
        InstanceKey old = world.ready("p", PluginType.MONOLITH, "old");
        world.ready("p", PluginType.NODE, "young");
        RegistrySnapshot snapshot = registry().snapshot();
        assertThat(snapshot.ofAllocation(PluginRole.NODE, P, AllocationId.of("old")))
                .map(each -> each.registration().key())
                .contains(old);
        assertThat(snapshot.ofAllocation(PluginRole.CONTROLLER, P, AllocationId.of("young")))
                .isEmpty();
    }

    @Test
    void waitEndsWhenPluginIsReadyAndNotWhenItIsRegistered() {
        CompletableFuture<RegisteredPlugin> waiting =
                registry().waitForHealthy(PluginRole.NODE, P, Duration.ofMinutes(5));
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "a");
        var unused = registry().register(RegistryWorld.registration(key, 0));
        world.time.advance(Duration.ofSeconds(30));
        assertThat(waiting).isNotDone();

        world.pluginOf(key).listen();
        world.time.advance(Duration.ofSeconds(1));
        assertThat(waiting.join().registration().key()).isEqualTo(key);
        assertThat(registry().waitForHealthy(PluginRole.NODE, P, Duration.ZERO)).satisfies(again -> {
            world.time.run();
            assertThat(again).isCompleted();
        });
    }

    @Test
    void timeoutErrorContainsPluginAndReason() {
        CompletableFuture<RegisteredPlugin> noOne =
                registry().waitForHealthy(PluginRole.CONTROLLER, P, Duration.ofSeconds(10));
        world.time.advance(Duration.ofSeconds(11));
        assertThat(Wait.failure(noOne))
                .isInstanceOf(PluginNotReadyException.class)
                .hasMessageContaining("plugin p")
                .hasMessageContaining("CONTROLLER")
                .hasMessageContaining("no instance is registered");

        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "a");
        var unused = registry().register(RegistryWorld.registration(key, 0));
        CompletableFuture<RegisteredPlugin> deaf =
                registry().waitForHealthy(PluginRole.NODE, P, Duration.ofSeconds(10));
        world.time.advance(Duration.ofSeconds(11));
        assertThat(Wait.failure(deaf)).hasMessageContaining("allocation a is CONNECTING: waiting for its socket");
    }

    @Test
    void waitWithHugeTimeoutIsAccepted() {
        CompletableFuture<RegisteredPlugin> waiting =
                registry().waitForHealthy(PluginRole.NODE, P, ChronoUnit.FOREVER.getDuration());
        world.time.advance(Duration.ofDays(1));
        assertThat(waiting).isNotDone();
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        assertThat(waiting)
                .isCompletedWithValueMatching(
                        plugin -> plugin.registration().key().equals(key));
    }

    @Test
    void cancelledWaitForPluginIsForgotten() {
        CompletableFuture<RegisteredPlugin> waiting =
                registry().waitForHealthy(PluginRole.NODE, P, Duration.ofHours(1));
        waiting.cancel(true);
        world.ready("p", PluginType.NODE, "a");
        assertThat(waiting).isCancelled();
        long fired = world.time.fired();
        world.time.advance(Duration.ofMillis(10));
        assertThat(world.time.fired() - fired).isLessThan(2);
    }

    @Test
    void closingRegistryFailsWaitingCallers() {
        world.ready("q", PluginType.NODE, "q");
        CompletableFuture<RegisteredPlugin> waiting =
                registry().waitForHealthy(PluginRole.NODE, P, Duration.ofHours(1));
        registry().close();
        world.time.run();
        assertThat(Wait.failure(waiting)).hasMessageContaining("was closed");
        CompletableFuture<RegisteredPlugin> tooLate =
                registry().waitForHealthy(PluginRole.NODE, P, Duration.ofHours(1));
        world.time.run();
        assertThat(Wait.failure(tooLate)).hasMessageContaining("was closed");
        CompletableFuture<RegisteredPlugin> forOneThatWasReady =
                registry().waitForHealthy(PluginRole.NODE, PluginId.of("q"), Duration.ofHours(1));
        world.time.run();
        assertThat(Wait.failure(forOneThatWasReady)).hasMessageContaining("was closed");
        assertThatThrownBy(() -> registry()
                        .register(RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "z"), 0)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void pluginWithUnreadableFactsIsNotReadyAndDoesNotBlockOtherPlugins() {
        InstanceKey stuck = RegistryWorld.key("stuck", PluginType.NODE, "a");
        PluginRegistration registration = RegistryWorld.registration(stuck, 0);
        ScriptedPlugin plugin = world.at(registration.socket());
        plugin.listen();
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.INTERNAL);
        var unused = registry().register(registration);
        InstanceKey fine = world.ready("p", PluginType.NODE, "b");
        assertThat(leader(PluginRole.NODE)).contains(fine);
        assertThat(registry().snapshot().leader(PluginRole.NODE, PluginId.of("stuck")))
                .isEmpty();
        CompletableFuture<Boolean> gone = registry().deregister(stuck);
        world.time.run();
        assertThat(gone).isCompletedWithValue(true);
    }

    @Test
    void orderOfInstancesSurvivesRestart() {
        InstanceKey old = world.ready("p", PluginType.NODE, "old");
        InstanceKey young = world.ready("p", PluginType.NODE, "young");
        List<StoredPlugin> before = world.store.stored();

        world.restartHost();
        assertThat(registry().snapshot().instances())
                .extracting(each -> each.registration().key())
                .containsExactly(young, old);
        assertThat(leader(PluginRole.NODE)).isEmpty(); // nobody has answered this host yet
        CompletableFuture<Registered> again = registry().register(RegistryWorld.registration(old, 0));
        assertThat(again).isCompletedWithValue(Registered.UNCHANGED);
        world.time.advance(Duration.ofSeconds(2));

        assertThat(leader(PluginRole.NODE)).contains(young);
        assertThat(world.store.stored()).isEqualTo(before);
    }

    @Test
    void instanceIsUsableWhileFailedSaveIsRetried() {
        world.store.broken = true;
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "a");
        CompletableFuture<Registered> done = registry().register(RegistryWorld.registration(key, 0));
        world.time.run();
        assertThat(Wait.failure(done)).isInstanceOf(PluginStoreException.class);
        assertThat(registry().snapshot().instance(key)).isPresent();
        world.store.broken = false;
        world.time.advance(Duration.ofSeconds(6));
        assertThat(world.store.stored()).hasSize(1);
    }

    @Test
    void registrationFailsIfStoreThrowsAndSaveIsRetried() {
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "a");
        world.store.saving = () -> {
            throw new NoClassDefFoundError("of the store");
        };
        CompletableFuture<Registered> done = registry().register(RegistryWorld.registration(key, 0));
        world.time.run();
        assertThat(Wait.failure(done)).isInstanceOf(NoClassDefFoundError.class);
        world.time.advance(Duration.ofSeconds(6));
        assertThat(world.store.stored()).hasSize(1);
    }

    @Test
    void failedSaveIsNotRetriedAfterRegistryIsClosed() {
        world.store.broken = true;
        CompletableFuture<Registered> failed =
                registry().register(RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "a"), 0));
        world.time.run();
        assertThat(Wait.failure(failed)).isInstanceOf(PluginStoreException.class);
        registry().close();
        world.time.run();
        int saves = world.store.saves;
        world.store.broken = false;
        world.time.advance(Duration.ofSeconds(30));
        assertThat(world.store.saves).isEqualTo(saves);
    }

    @Test
    void registrationDuringSaveWaitsForNextSaveAndFailsWithIt() {
        List<CompletableFuture<Registered>> later = new ArrayList<>();
        world.store.saving = () -> {
            later.add(registry().register(RegistryWorld.registration(RegistryWorld.key("q", PluginType.NODE, "b"), 1)));
            world.store.saving = () -> {
                throw new PluginStoreException("the disk is full", null);
            };
        };
        CompletableFuture<Registered> first =
                registry().register(RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "a"), 0));
        world.time.run();
        assertThat(first).isCompletedWithValue(Registered.ADDED);
        assertThat(Wait.failure(later.get(0))).isInstanceOf(PluginStoreException.class);
    }

    @Test
    void registrationFutureCompletesIfHostHasEndedItsThreads() {
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "a");
        // The host ends its threads during the save, after it has closed the registry.
        world.store.saving = () -> {
            registry().close();
            world.threads.ended = true;
        };
        CompletableFuture<Registered> saved = registry().register(RegistryWorld.registration(key, 0));
        world.time.run();
        assertThat(saved).isCompletedWithValue(Registered.ADDED);
        assertThat(world.store.stored()).hasSize(1);

        world.threads.ended = false;
        world.restartHost();
        // The host ends its threads before it has closed the registry, which is an error of the host.
        world.threads.ended = true;
        CompletableFuture<Boolean> refused = registry().deregister(key);
        assertThat(Wait.failure(refused))
                .isInstanceOf(PluginStoreException.class)
                .hasMessageContaining("rejects tasks");
    }

    @Test
    void cancelledListenerGetsNoMoreSnapshots() {
        List<Long> ended = new ArrayList<>();
        List<Long> others = new ArrayList<>();
        var subscription = registry().subscribe((snapshot, changes) -> ended.add(snapshot.version()));
        var unused = registry().subscribe((snapshot, changes) -> others.add(snapshot.version()));
        world.time.run();
        assertThat(ended).hasSize(1);

        // A change is being delivered to both listeners when one of them cancels the subscription of the other.
        var registered =
                registry().register(RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "a"), 0));
        subscription.cancel();
        world.time.run();
        world.ready("p", PluginType.NODE, "b");

        assertThat(ended).hasSize(1);
        assertThat(others).hasSizeGreaterThan(2).contains(registry().snapshot().version());
        assertThat(registered).isCompletedWithValue(Registered.ADDED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failingListenerStillGetsNextChange(boolean error) {
        List<Long> versions = new ArrayList<>();
        var unused = registry().subscribe((snapshot, changes) -> {
            versions.add(snapshot.version());
            if (error) {
                throw new AssertionError("a defect of the listener");
            }
            throw new IllegalStateException("a defect of the listener");
        });
        world.ready("p", PluginType.NODE, "a");
        assertThat(versions).hasSizeGreaterThan(1).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void reregisteredInstanceGetsLaterRegistrationTime() {
        PluginRegistration registration = RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "a"), 0);
        var first = registry().register(registration);
        List<PluginChange.Kind> reported = new ArrayList<>();
        var subscription =
                registry().subscribe((snapshot, changes) -> changes.forEach(each -> reported.add(each.kind())));
        world.time.run();

        var gone = registry().deregister(registration.key());
        var again = registry().register(registration);
        world.time.run();

        assertThat(reported)
                .containsExactly(
                        PluginChange.Kind.REGISTERED, PluginChange.Kind.DEREGISTERED, PluginChange.Kind.REGISTERED);
        assertThat(List.of(first, gone, again)).allMatch(CompletableFuture::isDone);
        subscription.cancel();
    }

    @Test
    void orderOfInstancesIsKeptIfClockIsSetBack() {
        InstanceList entries = new InstanceList(RegistryWorld.NODE, List.of(), Optional.empty());
        PluginConnection first = registered("one");
        PluginConnection second = registered("two");
        entries.put(first, world.time.instant());
        entries.put(second, world.time.instant().minusSeconds(3600));
        assertThat(entries.snapshot().instances())
                .extracting(RegisteredPlugin::connection)
                .containsExactly(second, first);
        List<StoredPlugin> kept = entries.kept().plugins().plugins();
        assertThat(kept.get(0).registeredAt()).isAfter(kept.get(1).registeredAt());
    }

    private PluginConnection registered(String allocation) {
        InstanceKey key = world.ready("p", PluginType.NODE, allocation);
        return registry().snapshot().instance(key).orElseThrow().connection();
    }
}
