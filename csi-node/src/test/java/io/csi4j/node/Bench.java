package io.csi4j.node;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The volumes of a node with virtual time in one directory; a test may simulate any number of consecutive processes. */
public final class Bench {
    public static final RequestedCapability MANY = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    final VirtualTime time;
    final ScriptedNode node;
    final Path base;
    final List<NodeVolumeEvent> events = new ArrayList<>();
    NodeVolumeOptions options = unsynced().build();
    PathProbe probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.SOUND);
    Checkpoint checkpoint = () -> {};
    /** The direct unmount; fails by default, because most tests expect none. */
    DirectUnmount direct = target -> {
        throw new AssertionError("unexpected direct unmount of " + target);
    };

    /** The change of ownership; fails by default, because most tests expect none. */
    VolumeOwnership ownership = (target, wanted, progress) -> {
        throw new AssertionError("unexpected change of ownership of " + target);
    };

    /** The look at the root directory after a publish with a group; sees the group by default. */
    Check check = (target, group, readonly) -> CompletableFuture.completedFuture(Optional.empty());

    /** A look at a root directory. */
    interface Check {
        CompletableFuture<Optional<String>> at(Path target, OptionalLong group, boolean readonly);
    }

    MountSecretsProvider secrets = MountSecretsProvider.none();
    PublishTokenProvider tokens = PublishTokenProvider.none();
    /** The interval of checks; zero by default, because most tests start checks themselves. */
    Duration checkPeriod = Duration.ZERO;

    Predicate<AllocationId> runs = allocation -> true;

    NodeVolumes volumes;
    private VolumeLedger ledger;
    private long seed;
    /** The environment of the simulated process. */
    private Environment process;

    /** Returns a builder with the options of the bench: the defaults, but with unsynced writes, which are faster. */
    static NodeVolumeOptions.Builder unsynced() {
        return NodeVolumeOptions.builder().syncedWrites(false);
    }

    Bench(Path base, long seed, boolean stages) {
        this.base = base;
        this.seed = seed;
        this.time = VirtualTime.shuffled(seed);
        this.process = time.environment(new SplittableRandom(++seed));
        this.node = new ScriptedNode(time, stages);
        open();
    }

    void open() {
        open(start -> {});
    }

    /** Starts a process; {@code asked} gets the future of the start. */
    void open(Consumer<CompletableFuture<Void>> asked) {
        try {
            ledger = new CheckpointLedger(
                    FileLedger.open(base.toRealPath().resolve("ledger"), false), () -> checkpoint.reached());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        volumes = NodeVolumes.builder(base, id -> node.found())
                .environment(process)
                .mountTable(node)
                .probe(path -> probe.probe(path))
                .directUnmount(target -> direct.unmount(target))
                .ownership(new VolumeOwnership() {
                    @Override
                    public CompletableFuture<Void> change(
                            Path target, FileOwnership wanted, OwnershipProgress progress) {
                        return ownership.change(target, wanted, progress);
                    }

                    @Override
                    public CompletableFuture<Optional<String>> checkRoot(
                            Path target, OptionalLong group, boolean readonly) {
                        return check.at(target, group, readonly);
                    }
                })
                .secrets((id, allocation) -> secrets.secrets(id, allocation))
                .publishTokens(request -> tokens.tokens(request))
                .listener(events::add)
                .options(options)
                .checkEvery(checkPeriod)
                .stillRuns(allocation -> runs.test(allocation))
                .ledger(ledger)
                .build();
        CompletableFuture<Void> started = volumes.start();
        asked.accept(started);
        time.advance(Duration.ZERO);
        started.join();
    }

    /** Returns the builder of another process in the same directory, which a test may change. */
    NodeVolumesBuilder another() {
        return another(id -> node.found());
    }

    NodeVolumesBuilder another(NodePlugins plugins) {
        return NodeVolumes.builder(base, plugins).environment(process).mountTable(node);
    }

    /** Simulates a crash of the process: its scheduled tasks never run. */
    void crash() {
        process.close();
        process = time.environment(new SplittableRandom(++seed));
        node.callerDied();
        try {
            ledger.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void restart() {
        crash();
        open();
    }

    public static NodeVolumeId id(String volume) {
        return new NodeVolumeId(VolumeKey.of("ns", volume), PluginId.of("p"), ExternalVolumeId.of("ext-" + volume));
    }

    static NodeMount.Builder request(String volume, String allocation) {
        return NodeMount.builder(id(volume), AllocationId.of(allocation), MANY)
                .mountOptions(MountOptions.of("ext4", "noatime"));
    }

    CompletableFuture<MountedVolume> mount(String volume, String allocation) {
        return volumes.mount(request(volume, allocation).build());
    }

    CompletableFuture<Void> unmount(String volume, String allocation) {
        return volumes.unmount(new NodeUnmount(id(volume), AllocationId.of(allocation)));
    }

    String target(String volume, String allocation) {
        try {
            return base.toRealPath()
                    .resolve("publish/ns")
                    .resolve(volume)
                    .resolve(allocation)
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    <T> T done(CompletableFuture<T> future) {
        time.advance(Duration.ofMinutes(1));
        if (!future.isDone()) {
            throw new AssertionError("the operation is not done; " + volumes.volumes() + " " + node.log);
        }
        return future.join();
    }

    Throwable failed(CompletableFuture<?> future) {
        time.advance(Duration.ofMinutes(20));
        if (!future.isDone()) {
            throw new AssertionError("the operation is not done; " + volumes.volumes() + " " + node.log);
        }
        try {
            future.join();
        } catch (CompletionException e) {
            return e.getCause();
        } catch (java.util.concurrent.CancellationException e) {
            return e;
        }
        throw new AssertionError("the operation did not fail");
    }

    /** Called before and after each write. */
    interface Checkpoint {
        void reached() throws IOException;
    }

    /** Counts the writes of a process; the checkpoint can end the process at any of them. */
    record CheckpointLedger(VolumeLedger ledger, Checkpoint checkpoint) implements VolumeLedger {
        @Override
        public Contents load() throws IOException {
            return ledger.load();
        }

        @Override
        public void save(VolumeEntry entry) throws IOException {
            checkpoint.reached();
            ledger.save(entry);
            checkpoint.reached();
        }

        @Override
        public void remove(VolumeKey key) throws IOException {
            checkpoint.reached();
            ledger.remove(key);
            checkpoint.reached();
        }

        @Override
        public void close() throws IOException {
            ledger.close();
        }
    }
}
