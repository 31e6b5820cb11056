package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.store.SocketRecords;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store with real files. */
class FilePluginStateStoreTest {
    private static final Instant AT = Instant.parse("2026-11-01T00:00:00.000000001Z");

    @TempDir
    Path directory;

    private Path file;
    private FilePluginStateStore store;

    @BeforeEach
    void open() {
        file = directory.resolve("plugins");
        store = FilePluginStateStore.at(file);
    }

    private static List<StoredPlugin> plugins() {
        InstanceKey node = RegistryWorld.key("p", PluginType.NODE, "young");
        InstanceKey both = new InstanceKey(RegistryWorld.NODE, node.pluginId(), PluginType.MONOLITH, Optional.empty());
        MountRoot root = new MountRoot(Path.of("/var/x"), Path.of("/local/csi"));
        return List.of(
                new StoredPlugin(
                        new PluginRegistration(node, Path.of("/run/ü.sock"), Optional.of(root)), AT.plusNanos(1)),
                new StoredPlugin(
                        PluginRegistration.of(
                                both, Endpoint.parse("/run/b.sock").ownedBy("csi")),
                        AT));
    }

    @Test
    void savedListIsLoadedInSameOrder() {
        assertThat(store.load()).isEqualTo(StoredPlugins.all(List.of()));
        store.save(StoredPlugins.all(plugins()));
        assertThat(FilePluginStateStore.at(file).load()).isEqualTo(StoredPlugins.all(plugins()));
        store.save(StoredPlugins.all(plugins().subList(1, 2)));
        assertThat(store.load().plugins()).isEqualTo(plugins().subList(1, 2));
        store.save(StoredPlugins.all(List.of()));
        assertThat(store.load()).isEqualTo(StoredPlugins.all(List.of()));
    }

    @Test
    void inProcessPluginIsLoadedAsItWasSaved() {
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "young");
        StoredPlugin plugin = new StoredPlugin(PluginRegistration.of(key, Endpoint.parse("inprocess:///fake")), AT);
        store.save(StoredPlugins.all(List.of(plugin)));
        assertThat(store.load().plugins()).containsExactly(plugin);
    }

    @Test
    void registrationOfPluginWithTcpEndpointIsRejected() {
        InstanceKey key = RegistryWorld.key("p", PluginType.NODE, "young");
        assertThatThrownBy(() -> PluginRegistration.of(key, Endpoint.loopback("tcp://localhost:9000")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is TCP; the plugins of a node listen on Unix sockets");
    }

    @Test
    void interruptedSaveKeepsOldList() throws IOException {
        store.save(StoredPlugins.all(plugins()));
        Files.write(directory.resolve("plugins.tmp"), new byte[] {1, 2, 3});
        assertThat(store.load()).isEqualTo(StoredPlugins.all(plugins()));
        store.save(StoredPlugins.all(plugins().subList(0, 1)));
        assertThat(store.load().plugins()).hasSize(1);
    }

    @Test
    void changedOrMissingByteInFileIsDetected() throws IOException {
        int damaged = 0;
        for (Optional<String> problem : List.of(Optional.<String>empty(), Optional.of("the lüst was lost"))) {
            StoredPlugins kept = new StoredPlugins(plugins(), problem);
            store.save(kept);
            assertThat(store.load()).isEqualTo(kept);
            byte[] good = Files.readAllBytes(file);
            for (int i = 0; i < good.length; i++) {
                byte[] bad = good.clone();
                bad[i] ^= 0x20;
                replaceBy(bad);
                assertThat(store.load().problem().orElseThrow()).as("byte " + i).contains("cannot be used");
                replaceBy(Arrays.copyOf(good, i));
                assertThat(store.load().problem().orElseThrow())
                        .as("cut at " + i)
                        .contains("cannot be used");
            }
            damaged += 2 * good.length;
        }
        Files.delete(file);
        try (Stream<Path> aside = Files.list(directory)) {
            assertThat(aside).hasSize(damaged).allMatch(each -> each.toString().contains("plugins.corrupt-"));
        }
    }

    private void replaceBy(byte[] content) throws IOException {
        Files.delete(file);
        Files.write(file, content);
    }

    @Test
    void listIsMarkedIncompleteUntilCompleteListIsSaved() throws IOException {
        Files.writeString(file, "nonsense");
        assertThat(store.load().problem()).isPresent();
        // The host crashes before the restored list is saved.
        assertThat(FilePluginStateStore.at(file).load().problem()).isPresent();
        store.save(StoredPlugins.all(List.of()));
        assertThat(store.load()).isEqualTo(StoredPlugins.all(List.of()));
        assertThat(directory.resolve("plugins.corrupt-1")).hasContent("nonsense");
        assertThat(directory.resolve("plugins.corrupt-2")).doesNotExist();
    }

    @Test
    void fileFromNewerReleaseIsReportedAndNotChanged() throws IOException {
        DurableFile.of("plugins", 2, FileProto.PluginList.parser(), true)
                .write(file, FileProto.PluginList.getDefaultInstance());
        byte[] newer = Files.readAllBytes(file);

        assertThatThrownBy(store::load)
                .isInstanceOf(PluginStoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("format version 2")
                .hasMessageContaining("use the release that wrote it");
        assertThat(Files.readAllBytes(file)).isEqualTo(newer);
    }

    @Test
    void errorForMissingDirectoryContainsItsPath() {
        FilePluginStateStore nowhere = FilePluginStateStore.at(directory.resolve("no/plugins"));
        assertThat(nowhere.load().plugins()).isEmpty();
        assertThatThrownBy(() -> nowhere.save(StoredPlugins.all(plugins())))
                .isInstanceOf(PluginStoreException.class)
                .hasMessageContaining("no/plugins");
    }

    @Test
    void unreadableListIsRestoredFromSocketsAndMarkedIncomplete() throws IOException {
        PluginPaths paths = PluginPaths.under(directory.resolve("csi"));
        Files.createDirectories(paths.socketDirectories());
        InstanceKey first = RegistryWorld.key("p", PluginType.NODE, "first");
        InstanceKey second = RegistryWorld.key("p", PluginType.NODE, "second");
        InstanceKey ended = RegistryWorld.key("p", PluginType.NODE, "ended");
        for (InstanceKey key : List.of(first, second, ended)) {
            Files.createDirectories(paths.socketDirectory(key));
            SocketRecords.write(
                    paths.record(key),
                    new StoredPlugin(
                            PluginRegistration.of(key, paths.socket(key)), key.equals(first) ? AT : AT.plusSeconds(1)));
        }
        for (InstanceKey key : List.of(first, second)) {
            ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(paths.socket(key)))
                    .close();
        }
        Files.writeString(paths.socketDirectories().resolve("x.plugin"), "nonsense");
        Files.writeString(file, "nonsense");

        StoredPlugins found = FilePluginStateStore.at(file, paths).load();

        assertThat(found.plugins())
                .extracting(each -> each.registration().key())
                .containsExactly(second, first);
        assertThat(found.problem().orElseThrow())
                .contains(file.toString())
                .contains("plugins.corrupt-1")
                .contains("2 plugins were found")
                .contains("x.plugin");
    }

    @Test
    void registryWithRestoredListIsIncompleteUntilConfirmed() {
        try (RegistryWorld world = new RegistryWorld(1)) {
            world.ready("p", PluginType.NODE, "a");
            world.store.problem = Optional.of("the list was lost");
            world.restartHost();
            assertThat(world.registry.snapshot().complete()).isFalse();
            world.registry.confirmComplete();
            assertThat(world.registry.snapshot().complete()).isTrue();
            assertThat(world.registry.snapshot().instances()).hasSize(1);
        }
    }

    @Test
    void restoredListStaysIncompleteAfterRestartsUntilConfirmed() {
        try (RegistryWorld world = new RegistryWorld(1)) {
            world.ready("p", PluginType.NODE, "a");
            world.store.problem = Optional.of("the list was lost");
            world.restartHost();
            world.store.problem = Optional.empty();
            world.ready("p", PluginType.NODE, "b");
            world.restartHost();
            assertThat(world.registry.snapshot().complete()).isFalse();

            world.registry.confirmComplete();
            world.time.run();
            world.restartHost();
            assertThat(world.registry.snapshot().complete()).isTrue();
            assertThat(world.registry.snapshot().instances()).hasSize(2);
        }
    }
}
