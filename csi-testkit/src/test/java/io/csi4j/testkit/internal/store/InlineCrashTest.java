package io.csi4j.testkit.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.Machine;
import io.csi4j.testkit.internal.disk.DirectoryData;
import io.csi4j.testkit.internal.disk.RealMounts;
import io.csi4j.testkit.internal.node.FakeInlineVolumes;
import io.csi4j.testkit.internal.node.NodeEffects;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeShelf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dies at every checkpoint of the life of an inline volume. Afterwards the volume, its contents and its mount are all there, or none is. */
class InlineCrashTest {
    private static final String NODE = "node-1";
    private static final String ID = "any id: it is the caller's / choice";

    @TempDir
    Path directory;

    /** Not caught by anything in the plugin, so that nothing is tidied up, as by a kill. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @AfterEach
    void tidyUp() throws Exception {
        Checkpoint.hook = () -> {};
        Machine.cleanUp(directory);
    }

    /** The storage as a new process finds it. */
    private final class World {
        final NodeShelf shelf;
        final FakeInlineVolumes volumes;

        World(boolean mounts) {
            FileStore store = new FileStore(directory.resolve("state"), "t");
            DirectoryData data = new DirectoryData(store.directory());
            Backend backend =
                    new Backend(store, id -> store.below("node-state", id), data, 1L << 30, Clock.systemUTC());
            backend.register(new NodeRecord(NODE, Map.of(), 0));
            shelf = backend.shelf(NODE);
            volumes = new FakeInlineVolumes(
                    backend,
                    shelf,
                    mounts ? new RealMounts(data) : NodeEffects.NONE,
                    new FakeInlineVolumes.Rules(Set.of("subject"), 0, false));
            volumes.recover();
        }

        void publish() {
            VolumeCapability.Builder capability = VolumeCapability.newBuilder();
            capability.getMountBuilder();
            capability.getAccessModeBuilder().setMode(Mode.SINGLE_NODE_WRITER);
            volumes.publish(NodePublishVolumeRequest.newBuilder()
                    .setVolumeId(ID)
                    .setTargetPath(target().toString())
                    .setVolumeCapability(capability)
                    .putVolumeContext("subject", "web")
                    .build());
        }

        void unpublish() {
            volumes.unpublish(ID, target().toString());
        }

        /** The node has started again, so that its mounts and their records are gone. */
        void reboot() throws Exception {
            Machine.cleanUp(directory);
            shelf.volumes().remove(ID);
        }

        Path target() {
            return directory.resolve("target");
        }

        /** Returns whether the volume is there. Its parts must agree. */
        boolean requireWhole(boolean mounts) throws Exception {
            boolean exists = FakeInlineVolumes.ids(shelf).contains(ID);
            boolean published = !shelf.of(ID).isEmpty();
            try (var contents = Files.list(directory.resolve("state/data/volumes"))) {
                assertThat(contents.count()).isEqualTo(exists ? 1 : 0);
            }
            if (published) {
                assertThat(exists).isTrue();
            }
            if (mounts) {
                assertThat(Machine.mountsBelow(directory)).isEqualTo(published ? 1 : 0);
            }
            return exists;
        }
    }

    private interface Deed {
        void doTo(World world) throws Exception;
    }

    /** Dies at each checkpoint of an operation, and checks what the next process finds. Returns the number of deaths. */
    private int dieIn(boolean mounts, Deed before, Deed deed, boolean lossAllowed) throws Exception {
        int deaths = 0;
        boolean died = true;
        for (int checkpoint = 1; died; checkpoint++) {
            died = false;
            World world = new World(mounts);
            before.doTo(world);
            boolean existed = world.requireWhole(mounts);
            AtomicInteger reached = new AtomicInteger();
            int last = checkpoint;
            Checkpoint.hook = () -> {
                if (reached.incrementAndGet() == last) {
                    throw new Killed();
                }
            };
            try {
                deed.doTo(world);
            } catch (Killed killed) {
                died = true;
                deaths++;
            } finally {
                Checkpoint.hook = () -> {};
            }
            World after = new World(mounts);
            boolean exists = after.requireWhole(mounts);
            if (existed && !lossAllowed) {
                assertThat(exists).isTrue();
            }
            deed.doTo(after);
            assertThat(after.requireWhole(mounts)).isEqualTo(!lossAllowed);
            after.unpublish();
            assertThat(after.requireWhole(mounts)).isFalse();
            assertThat(after.target()).doesNotExist();
        }
        return deaths;
    }

    private int dieInAll(boolean mounts) throws Exception {
        return dieIn(mounts, world -> {}, World::publish, false)
                + dieIn(mounts, World::publish, World::unpublish, true)
                + dieIn(
                        mounts,
                        world -> {
                            world.publish();
                            world.reboot();
                        },
                        World::publish,
                        false);
    }

    @Test
    void recordsAndContentsStayConsistentAfterCrashAtAnyCheckpoint() throws Exception {
        assertThat(dieInAll(false)).isGreaterThan(20);
    }

    @Test
    void mountsStayConsistentAfterCrashAtAnyCheckpoint() throws Exception {
        Machine.assumeRoot();
        assertThat(dieInAll(true)).isGreaterThan(30);
    }
}
