package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Cancellable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the registry after random registrations, restarts and failures with a model that is a plain list. */
class PluginRegistryModelTest {
    private static final int STEPS = 250;
    private static final List<PluginType> TYPES = List.of(PluginType.values());

    /** The seeds of the runs; {@code -Dcsi4j.seed=N} runs only one. */
    static LongStream seeds() {
        Long one = Long.getLong("csi4j.seed");
        return one == null ? LongStream.range(1, 26) : LongStream.of(one);
    }

    /** The instances that should be registered, newest first. */
    private final List<PluginRegistration> model = new ArrayList<>();

    private final List<Follower> followers = new ArrayList<>();

    /** A subscriber that computes the instances only from the changes it receives. */
    private static final class Follower implements PluginListener {
        private final Map<InstanceKey, RegisteredPlugin> known = new LinkedHashMap<>();
        private long version;
        private Cancellable subscription;

        private AssertionError broken;

        @Override
        public void changed(RegistrySnapshot snapshot, List<PluginChange> changes) {
            try {
                follow(snapshot, changes);
            } catch (AssertionError e) {
                // Keeps the error for the test, because the registry would only log it.
                broken = broken == null ? e : broken;
            }
        }

        private void follow(RegistrySnapshot snapshot, List<PluginChange> changes) {
            assertThat(snapshot.version()).isGreaterThan(version);
            if (version == 0) {
                assertThat(changes).allMatch(each -> each.kind() == PluginChange.Kind.REGISTERED);
            }
            version = snapshot.version();
            for (PluginChange change : changes) {
                InstanceKey key = change.plugin().registration().key();
                boolean was = known.containsKey(key);
                switch (change.kind()) {
                    case REGISTERED -> assertThat(was).isFalse();
                    case REPLACED, CHANGED, DEREGISTERED -> assertThat(was).isTrue();
                }
                if (change.kind() == PluginChange.Kind.DEREGISTERED) {
                    known.remove(key);
                } else {
                    known.put(key, change.plugin());
                }
            }
            // Changes arrive in order and new instances last, so the map has the instances from the oldest to the
            // newest.
            assertThat(new ArrayList<>(known.values()))
                    .containsExactlyElementsOf(snapshot.instances().stream()
                            .sorted((a, b) -> a.registeredAt().compareTo(b.registeredAt()))
                            .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void registrySnapshotsEqualModelAfterRandomOperations(long seed) {
        System.out.println("PluginRegistryModelTest: seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (RegistryWorld world = new RegistryWorld(seed)) {
            for (int i = 0; i < STEPS; i++) {
                step(world, random);
                world.time.advance(Duration.ofMillis(random.nextInt(1_500)));
                assertThat(keys(world.registry.snapshot())).isEqualTo(keysOfModel());
                for (Follower follower : followers) {
                    if (follower.broken != null) {
                        throw follower.broken;
                    }
                }
                if (i % 25 == 24) {
                    quiet(world);
                }
            }
        }
    }

    private void step(RegistryWorld world, SplittableRandom random) {
        switch (random.nextInt(11)) {
            case 0, 1, 2 -> register(world, random);
            case 3 -> replace(world, random);
            case 4 -> deregister(world, random);
            case 5, 6, 7 -> any(random).ifPresent(each -> sicken(world.at(each.socket()), random));
            case 8 -> follow(world);
            case 9 -> unfollow(random);
            default -> {
                if (random.nextInt(4) == 0) {
                    world.restartHost();
                    followers.clear();
                }
            }
        }
    }

    private void register(RegistryWorld world, SplittableRandom random) {
        InstanceKey key = RegistryWorld.key(
                "p" + random.nextInt(3), TYPES.get(random.nextInt(TYPES.size())), "a" + random.nextInt(5));
        PluginRegistration registration = new PluginRegistration(
                key,
                Path.of("/run/" + key.pluginId() + key.type()
                        + key.allocationId().orElseThrow()),
                Optional.empty());
        Optional<PluginRegistration> there =
                model.stream().filter(each -> each.key().equals(key)).findFirst();
        if (there.isPresent()) {
            // Registers the instance again without a change.
            assertThat(world.registry.register(there.get())).isNotNull();
            return;
        }
        if (random.nextBoolean()) {
            world.at(registration.socket()).listen();
        }
        model.add(0, registration);
        assertThat(world.registry.register(registration)).isNotNull();
    }

    private void replace(RegistryWorld world, SplittableRandom random) {
        any(random).ifPresent(old -> {
            PluginRegistration other = new PluginRegistration(
                    old.key(), old.socket().resolveSibling(old.socket().getFileName() + "x"), Optional.empty());
            if (other.socket().toString().length() > 60) {
                return;
            }
            model.set(model.indexOf(old), other);
            assertThat(world.registry.register(other)).isNotNull();
        });
    }

    private void deregister(RegistryWorld world, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            assertThat(world.registry.deregister(RegistryWorld.key("p0", PluginType.NODE, "nobody")))
                    .isCompletedWithValue(false);
            return;
        }
        any(random).ifPresent(each -> {
            model.remove(each);
            assertThat(world.registry.deregister(each.key())).isNotNull();
        });
    }

    private Optional<PluginRegistration> any(SplittableRandom random) {
        return model.isEmpty() ? Optional.empty() : Optional.of(model.get(random.nextInt(model.size())));
    }

    private static void sicken(ScriptedPlugin plugin, SplittableRandom random) {
        switch (random.nextInt(7)) {
            case 0 -> plugin.kill();
            case 1 -> plugin.remove();
            case 2 -> plugin.ready = !plugin.ready;
            case 3 -> plugin.fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
            case 4 -> plugin.fail(Rpc.PROBE, StatusCode.INTERNAL);
            case 5 -> plugin.recover();
            default -> plugin.listen();
        }
    }

    private void follow(RegistryWorld world) {
        Follower follower = new Follower();
        follower.subscription = world.registry.subscribe(follower);
        followers.add(follower);
    }

    private void unfollow(SplittableRandom random) {
        if (!followers.isEmpty()) {
            followers.remove(random.nextInt(followers.size())).subscription.cancel();
        }
    }

    /** Advances the time until all connections have detected the state of their plugins. */
    private void quiet(RegistryWorld world) {
        world.time.advance(Duration.ofSeconds(40));
        RegistrySnapshot snapshot = world.registry.snapshot();
        for (String plugin : List.of("p0", "p1", "p2")) {
            for (PluginRole role : PluginRole.values()) {
                assertThat(snapshot.leader(role, PluginId.of(plugin))
                                .map(each -> each.registration().key()))
                        .isEqualTo(leaderOfModel(world, role, plugin));
            }
        }
        for (Follower follower : followers) {
            assertThat(follower.version).isEqualTo(snapshot.version());
        }
        assertThat(world.store.stored()).extracting(StoredPlugin::registration).isEqualTo(model);
    }

    private Optional<InstanceKey> leaderOfModel(RegistryWorld world, PluginRole role, String plugin) {
        return model.stream()
                .filter(each -> each.key().pluginId().value().equals(plugin))
                .filter(each -> role.servedBy(each.key().type()))
                .filter(each -> well(world.at(each.socket())))
                .map(PluginRegistration::key)
                .findFirst();
    }

    /** Returns whether a plugin would answer all queries. */
    private static boolean well(ScriptedPlugin plugin) {
        return !plugin.dead && plugin.socket.isThere() && plugin.ready && !plugin.fails(Rpc.PROBE);
    }

    private static List<InstanceKey> keys(RegistrySnapshot snapshot) {
        return snapshot.instances().stream()
                .map(each -> each.registration().key())
                .toList();
    }

    private List<InstanceKey> keysOfModel() {
        return model.stream().map(PluginRegistration::key).toList();
    }
}
