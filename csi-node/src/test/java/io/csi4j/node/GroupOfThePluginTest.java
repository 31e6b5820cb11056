package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.ScriptedNode.Fate;
import io.csi4j.node.internal.ownership.RootCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The look at the root directory after a plugin with VOLUME_MOUNT_GROUP has published: the node never changes the files. */
class GroupOfThePluginTest {
    private static final String MISSING = "its group is 0 and not 1234";

    @TempDir
    private Path base;

    private Bench bench;
    private final List<Path> checks = new ArrayList<>();

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        sees(Optional.empty());
    }

    private void sees(Optional<String> missing) {
        bench.check = (target, group, readonly) -> {
            assertThat(group).hasValue(1234);
            checks.add(target);
            return CompletableFuture.completedFuture(missing);
        };
    }

    private CompletableFuture<MountedVolume> mount(boolean strict) {
        return bench.volumes.mount(Bench.request("v", "a")
                .mountOptions(new MountOptions(
                        "ext4",
                        MountFlags.of("noatime"),
                        "1234",
                        new OwnershipOptions(GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty(), strict)))
                .build());
    }

    private List<Kind> kinds() {
        return bench.events.stream().map(NodeVolumeEvent::kind).toList();
    }

    private NodeVolumeStatus.Use use() {
        return bench.volumes.volumes().get(0).uses().get(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void groupThatIsSeenIsGrantedWithoutAWord(boolean strict) {
        bench.done(mount(strict));
        assertThat(checks).containsExactly(Path.of(bench.target("v", "a")));
        assertThat(kinds()).containsExactly(Kind.MOUNTED);
        assertThat(use().problem()).isEmpty();
        bench.done(mount(strict));
        assertThat(checks).as("one look for a mount").hasSize(1);
    }

    @Test
    void groupThatIsNotSeenIsAWarningInEventAndStatus() {
        sees(Optional.of(MISSING));
        bench.done(mount(false));
        assertThat(kinds()).containsExactly(Kind.MOUNTED, Kind.OWNERSHIP_NOT_SEEN);
        assertThat(bench.events.get(1).message()).contains("VOLUME_MOUNT_GROUP", MISSING, "nothing was changed");
        assertThat(use().problem()).contains(MISSING);
        bench.done(bench.unmount("v", "a"));
        sees(Optional.empty());
        bench.done(mount(false));
        assertThat(use().problem()).as("of the next mount").isEmpty();
    }

    @Test
    void strictRequestIsRefusedAndUndone() {
        sees(Optional.of(MISSING));
        Throwable failure = bench.failed(mount(true));
        assertThat(failure)
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContainingAll(MISSING, "leave strict out");
        assertThat(((NodeVolumeException) failure).reason()).isEqualTo(Reason.OWNERSHIP_NOT_SEEN);
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.published).isEmpty();
        assertThat(kinds()).doesNotContain(Kind.MOUNTED);
    }

    @Test
    void checkThatDoesNotEndIsAWarningAndDelaysNoOtherVolume() {
        bench.check = (target, group, readonly) -> new CompletableFuture<>();
        CompletableFuture<MountedVolume> mount = mount(false);
        bench.time.advance(Duration.ofSeconds(20));
        assertThat(mount).isNotDone();
        assertThat(bench.volumes.volumes().get(0).waitingFor()).contains("root directory");
        bench.done(bench.mount("w", "a"));
        bench.done(mount);
        assertThat(use().problem()).contains("did not answer within");
    }

    /** The look belongs to the mount, so a process that was killed before it looks again before it reports the mount. */
    @Test
    void restartBeforeTheCheckChecksAgain() {
        bench.check = (target, group, readonly) -> new CompletableFuture<>();
        var unused = mount(true);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.node.publishRequests).hasSize(1);
        bench.crash();
        sees(Optional.of(MISSING));
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(checks).isNotEmpty();
        assertThat(use().state()).isEqualTo(NodeVolumeStatus.State.MOUNTING);
        assertThat(bench.node.publishRequests).hasSize(1);
        sees(Optional.empty());
        bench.done(mount(true));
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void mountThatIsUnmountedDuringTheCheckIsUnpublished() {
        CompletableFuture<Optional<String>> check = new CompletableFuture<>();
        bench.check = (target, group, readonly) -> check;
        var unused = mount(true);
        bench.time.advance(Duration.ofSeconds(5));
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        check.complete(Optional.of(MISSING));
        bench.done(unmount);
        assertThat(bench.node.mounts).isEmpty();
        assertThat(kinds()).doesNotContain(Kind.MOUNTED, Kind.OWNERSHIP_NOT_SEEN);
    }

    @Test
    void mountWithoutAGroupIsNotChecked() {
        bench.done(bench.mount("v", "a"));
        assertThat(checks).isEmpty();
        assertThat(bench.node.fates.apply(Rpc.NODE_PUBLISH_VOLUME)).isEqualTo(Fate.OK);
    }

    private static Optional<String> check(Path root, long group, boolean readonly) {
        return RootCheck.start(root, OptionalLong.of(group), readonly).join();
    }

    @Test
    void rootShowsItsGroupAndTheRightsOfTheGroup() throws IOException {
        Path root = Files.createDirectory(base.toRealPath().resolve("root"));
        Map<String, Object> before = attributes(root);
        long group = Integer.toUnsignedLong((Integer) before.get("gid"));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwx---"));
        assertThat(check(root, group, false)).isEmpty();
        assertThat(check(root, group + 1, false))
                .hasValueSatisfying(
                        text -> assertThat(text).isEqualTo("its group is " + group + " and not " + (group + 1)));
        assertThat(RootCheck.start(root, OptionalLong.empty(), false).join())
                .as("a name")
                .isEmpty();
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(check(root, group, false))
                .hasValueSatisfying(
                        text -> assertThat(text).isEqualTo("its mode is 0755, so the group may not read and write it"));
        assertThat(check(root, group, true)).isEmpty();
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x---"));
        assertThat(check(root, group, true))
                .hasValueSatisfying(text -> assertThat(text).contains("may not read it"));
        assertThat(attributes(root).get("gid")).isEqualTo(before.get("gid"));
        Path link = Files.createSymbolicLink(base.toRealPath().resolve("link"), root);
        assertThat(check(link.resolve("below"), group, false))
                .hasValueSatisfying(text -> assertThat(text).contains("could not be looked at"));
        assertThat(check(base.toRealPath().resolve("nothing"), group, false)).isPresent();
    }

    private static Map<String, Object> attributes(Path path) throws IOException {
        return Files.readAttributes(path, "unix:gid,mode");
    }
}
