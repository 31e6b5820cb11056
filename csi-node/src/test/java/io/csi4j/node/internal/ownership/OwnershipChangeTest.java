package io.csi4j.node.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.MountTable;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.RealMountsTest;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real files in a file system of the kernel. Needs root on Linux; skipped elsewhere. */
class OwnershipChangeTest {
    private static final long GROUP = 3_000_000_123L;

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void mount() throws IOException {
        assumeTrue(RealMountsTest.canMount(directory), "needs the right to mount");
        root = Files.createDirectory(directory.toRealPath().resolve("volume"));
        RealMountsTest.run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", root.toString());
    }

    @AfterEach
    void unmount() throws IOException {
        List<Path> mounts = new ArrayList<>(MountTable.ofLinux().read().within(directory.toRealPath()));
        for (int i = mounts.size() - 1; i >= 0; i--) {
            RealMountsTest.run("umount", "-l", mounts.get(i).toString());
        }
    }

    private OwnershipProgress change(long group, GroupChangePolicy policy) {
        return change(root, group, policy, true);
    }

    private static OwnershipProgress change(Path target, long group, GroupChangePolicy policy, boolean mounted) {
        OwnershipProgress progress = new OwnershipProgress();
        try {
            OwnershipChange.run(target, new FileOwnership(group, policy, OptionalLong.empty()), mounted, progress);
        } catch (OwnershipException e) {
            throw new AssertionError(e);
        }
        return progress;
    }

    private OwnershipException refused(Path target, boolean mounted) {
        FileOwnership wanted = new FileOwnership(GROUP, GroupChangePolicy.ALWAYS, OptionalLong.empty());
        OwnershipException refused = catchThrowableOfType(
                OwnershipException.class, () -> OwnershipChange.run(target, wanted, mounted, new OwnershipProgress()));
        assertThat(refused).as("the change of %s is refused", target).isNotNull();
        return refused;
    }

    private Path file(String name, int mode) throws IOException {
        return withMode(Files.createFile(root.resolve(name)), mode);
    }

    private Path directory(String name, int mode) throws IOException {
        return withMode(Files.createDirectory(root.resolve(name)), mode);
    }

    private static Path withMode(Path path, int mode) throws IOException {
        return Files.setAttribute(path, "unix:mode", mode);
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    private static long group(Path path) throws IOException {
        return Integer.toUnsignedLong((int) Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS));
    }

    /** Returns what an operator would see of a file that nothing may touch. */
    private static String state(Path path) throws IOException {
        return Files.readAttributes(path, "unix:mode,uid,gid,ctime", LinkOption.NOFOLLOW_LINKS)
                .toString();
    }

    private static void requireModes(List<Path> paths, String... octals) throws IOException {
        List<String> modes = new ArrayList<>();
        for (Path path : paths) {
            modes.add(Integer.toOctalString(mode(path)));
            assertThat(group(path)).as("group of %s", path).isEqualTo(GROUP);
        }
        assertThat(modes).containsExactly(octals);
    }

    @Test
    void groupGetsItsRightsAndAllOtherRightsStay() throws IOException {
        List<Path> files = List.of(
                file("secret", 0600),
                file("readonly", 0400),
                file("program", 0700),
                file("setuid", 04755),
                file("setgid", 02755),
                file("both", 06775),
                file("all", 0666),
                file("none", 0));
        List<Path> directories = List.of(directory("own", 0700), directory("shared", 01777), directory("closed", 0));
        RealMountsTest.run("mkfifo", "-m", "600", root.resolve("pipe").toString());

        OwnershipProgress progress = change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH);

        requireModes(files, "660", "460", "760", "4775", "2775", "6775", "666", "60");
        requireModes(directories, "2770", "3777", "2070");
        requireModes(List.of(root.resolve("pipe"), root), "660", "2775");
        assertThat(progress.visited()).isEqualTo(12);
        assertThat(progress.changed()).isEqualTo(13);
    }

    @Test
    void linksDevicesAndMountsInsideAreLeftOut() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path sentinel = withMode(Files.createFile(outside.resolve("sentinel")), 0600);
        Path inner = directory("inner", 0755);
        Path target = file("inner/target", 0644);
        Path absolute = Files.createSymbolicLink(root.resolve("absolute"), sentinel);
        Path relative = Files.createSymbolicLink(root.resolve("relative"), Path.of("inner/target"));
        Path elsewhere = Files.createSymbolicLink(root.resolve("elsewhere"), outside);
        RealMountsTest.run("mknod", root.resolve("device").toString(), "c", "1", "3");
        Path bound = directory("bound", 0755);
        RealMountsTest.run("mount", "--bind", outside.toString(), bound.toString());
        Path boundFile = file("bound-file", 0600);
        RealMountsTest.run("mount", "--bind", sentinel.toString(), boundFile.toString());
        List<Path> untouched =
                List.of(outside, sentinel, absolute, relative, elsewhere, root.resolve("device"), bound, boundFile);
        List<String> before = new ArrayList<>();
        for (Path path : untouched) {
            before.add(state(path));
        }

        change(GROUP, GroupChangePolicy.ALWAYS);

        for (int i = 0; i < untouched.size(); i++) {
            assertThat(state(untouched.get(i))).as("%s", untouched.get(i)).isEqualTo(before.get(i));
        }
        requireModes(List.of(inner, target), "2775", "664");
    }

    @Test
    void finishedTreeIsNotWalkedAgain() throws IOException {
        file("a", 0600);
        change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH);
        Path newer = file("newer", 0600);
        Path made = directory("made", 0755);
        assertThat(group(made)).as("the root's setgid bit gives the group").isEqualTo(GROUP);
        Files.delete(made);
        Path inherited = Files.createDirectory(made);
        assertThat(mode(inherited) & 02000).as("and the bit itself").isEqualTo(02000);
        assertThat(group(Files.createDirectory(inherited.resolve("below")))).isEqualTo(GROUP);

        OwnershipProgress again = change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH);
        assertThat(again.visited()).isZero();
        assertThat(again.changed()).isZero();
        assertThat(mode(newer)).isEqualTo(0600);
        assertThat(group(newer)).as("the root's setgid bit gives the group").isEqualTo(GROUP);

        OwnershipProgress always = change(GROUP, GroupChangePolicy.ALWAYS);
        assertThat(always.visited()).isEqualTo(4);
        assertThat(always.changed())
                .as("the newer file, the two directories and the root")
                .isEqualTo(4);
        requireModes(List.of(inherited), "2775");
        assertThat(mode(newer)).isEqualTo(0660);
    }

    /**
     * A plugin gives the root directory another mode at each mount. Whether another node has begun to change the files
     * to another group meanwhile cannot be seen then, so all files are changed, and the reason says why.
     */
    @Test
    void reasonSaysInWhatTheRootDiffers() throws Exception {
        file("a", 0600);
        assertThat(change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH).reason())
                .isEqualTo("the root directory has group 0 instead of 3000000123, mode 0755 instead of 2775");
        assertThat(change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH).reason()).isEmpty();
        withMode(root, 0755);
        OwnershipProgress again = change(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH);
        assertThat(again.reason()).isEqualTo("the root directory has mode 0755 instead of 2775");
        assertThat(again.visited()).isEqualTo(1);
        assertThat(again.changed()).as("the root").isEqualTo(1);
        assertThat(change(GROUP, GroupChangePolicy.ALWAYS).reason())
                .isEqualTo("the request wants all files to be changed at each mount");
        withMode(root, 0755);
        OwnershipProgress rootOnly = change(GROUP, GroupChangePolicy.ROOT_ONLY);
        assertThat(rootOnly.visited()).isZero();
        assertThat(rootOnly.changed()).isEqualTo(1);
        OwnershipProgress owned = new OwnershipProgress();
        OwnershipChange.run(
                root, new FileOwnership(GROUP, GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.of(1234)), true, owned);
        assertThat(owned.reason()).isEqualTo("the root directory has owner 0 instead of 1234");
    }

    @Test
    void rootAloneIsChangedIfOnlyItIsWanted() throws Exception {
        Path inside = file("inside", 0600);
        long before = group(inside);
        OwnershipChange.run(
                root,
                new FileOwnership(GROUP, GroupChangePolicy.ROOT_ONLY, OptionalLong.of(1234)),
                true,
                new OwnershipProgress());
        requireModes(List.of(root), "2775");
        assertThat(Files.getAttribute(root, "unix:uid")).isEqualTo(1234);
        assertThat(mode(inside)).isEqualTo(0600);
        assertThat(group(inside)).isEqualTo(before);
    }

    private OwnershipProgress excluding(GroupChangePolicy policy, OptionalLong owner, String... names) {
        OwnershipProgress progress = new OwnershipProgress();
        try {
            OwnershipChange.run(root, new FileOwnership(GROUP, policy, owner, List.of(names)), true, progress);
        } catch (OwnershipException e) {
            throw new AssertionError(e);
        }
        return progress;
    }

    private static List<String> states(List<Path> paths) throws IOException {
        List<String> states = new ArrayList<>();
        for (Path path : paths) {
            states.add(state(path));
        }
        return states;
    }

    @ParameterizedTest
    @EnumSource(names = {"ON_ROOT_MISMATCH", "ALWAYS"})
    void excludedEntriesOfTheRootAreNeitherChangedNorEntered(GroupChangePolicy policy) throws IOException {
        Path snapshots = directory(".snapshot", 0755);
        Path inside = file(".snapshot/inside", 0600);
        Path below = directory(".snapshot/below", 0700);
        Path plain = file("*", 0600);
        Path umlaut = file("\u00e4", 0600);
        Path link = Files.createSymbolicLink(root.resolve("link"), Path.of(".snapshot"));
        Path bound = directory("bound", 0755);
        RealMountsTest.run("mount", "-t", "tmpfs", "-o", "mode=0700", "tmpfs", bound.toString());
        List<Path> excluded = List.of(snapshots, inside, below, plain, umlaut, link, bound);
        List<Path> changed = List.of(
                directory("tree", 0755),
                directory("tree/.snapshot", 0755),
                file("tree/.snapshot/inside", 0600),
                file("tree/*", 0600),
                directory(".snapshots", 0700),
                file(".snapsho", 0600),
                file("ae", 0600));
        List<String> before = states(excluded);

        OwnershipProgress progress =
                excluding(policy, OptionalLong.empty(), ".snapshot", "*", "\u00e4", "link", "bound", "missing");

        assertThat(states(excluded)).isEqualTo(before);
        requireModes(changed, "2775", "2775", "660", "660", "2770", "660", "660");
        requireModes(List.of(root), "2775");
        assertThat(progress.changed()).isEqualTo(changed.size() + 1);
        assertThat(progress.visited()).isEqualTo(5 + changed.size());
    }

    /** Several threads share a directory with many entries, and each of them knows the names. */
    @Test
    void excludedEntriesAreLeftOutOfALargeRoot() throws IOException {
        List<Path> excluded = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            Path made = file("file-with-a-long-name-" + i, 0600);
            if (i % 200 == 0) {
                excluded.add(made);
                names.add(made.getFileName().toString());
            }
        }
        List<String> before = states(excluded);
        assertThat(excluding(GroupChangePolicy.ALWAYS, OptionalLong.empty(), names.toArray(String[]::new))
                        .changed())
                .isEqualTo(5_000 - excluded.size() + 1);
        assertThat(states(excluded)).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"''", "lost+found", ".snapshot", "'lost+found .snapshot'"})
    void rootOfAnEmptyVolumeGetsItsGroupAndOwner(String present) throws IOException {
        List<Path> entries = new ArrayList<>();
        for (String name : present.isEmpty() ? List.<String>of() : List.of(present.split(" "))) {
            entries.add(directory(name, 0700));
        }
        List<String> before = states(entries);
        OwnershipProgress progress =
                excluding(GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.of(1234), ".snapshot", "missing");
        requireModes(List.of(root), "2775");
        assertThat(Files.getAttribute(root, "unix:uid")).isEqualTo(1234);
        assertThat(states(entries)).isEqualTo(before);
        assertThat(progress.changed()).isEqualTo(1);
        assertThat(progress.visited()).isZero();
        assertThat(progress.reason()).contains("the root directory has group 0 instead of 3000000123");
        assertThat(excluding(GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.of(1234), ".snapshot")
                        .changed())
                .as("once")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", ".hidden", ".snapshot", "lost+found2", "link", "bound", "directory"})
    void volumeWithFilesStaysAsItIs(String name) throws IOException {
        Path entry = root.resolve(name);
        if (name.equals("link")) {
            Files.createSymbolicLink(entry, Path.of("lost+found"));
        } else if (name.equals("bound")) {
            directory(name, 0755);
            RealMountsTest.run("mount", "-t", "tmpfs", "tmpfs", entry.toString());
        } else if (name.equals("directory")) {
            directory(name, 0700);
        } else {
            file(name, 0600);
        }
        directory("lost+found", 0700);
        List<Path> all = List.of(root, entry, root.resolve("lost+found"));
        List<String> before = states(all);
        OwnershipProgress progress = excluding(GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.of(1234), "other");
        assertThat(states(all)).isEqualTo(before);
        assertThat(progress.changed()).isZero();
        assertThat(progress.reason()).contains("not empty").contains("ROOT_IF_EMPTY");
    }

    @Test
    void fullVolumeThatCannotBeChangedIsMountedAsItIs() throws IOException {
        file("file", 0600);
        RealMountsTest.run("mount", "-o", "remount,ro", root.toString());
        assertThat(change(GROUP, GroupChangePolicy.ROOT_IF_EMPTY).changed()).isZero();
    }

    @Test
    void emptyVolumeThatCannotBeChangedIsRefused() throws IOException {
        RealMountsTest.run("mount", "-o", "remount,ro", root.toString());
        OwnershipException refused = catchThrowableOfType(
                OwnershipException.class,
                () -> OwnershipChange.run(
                        root,
                        new FileOwnership(GROUP, GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.empty()),
                        true,
                        new OwnershipProgress()));
        assertThat(refused.reason()).isEqualTo(Reason.UNSUPPORTED_HERE);
    }

    /**
     * A change to another group ends early, and the former group comes back: the root still has the former group, but it
     * must not look finished.
     */
    @Test
    void halfChangedTreeIsNeverFinished() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            file("file-" + i, 0600);
        }
        change(1000, GroupChangePolicy.ON_ROOT_MISMATCH);
        OwnershipProgress half = new OwnershipProgress();
        AtomicBoolean ended = new AtomicBoolean();
        Thread cancelling = new Thread(() -> {
            while (half.changed() < 100 && !ended.get()) {
                Thread.onSpinWait();
            }
            half.cancel();
        });
        cancelling.setDaemon(true);
        cancelling.start();
        OwnershipException cancelled = catchThrowableOfType(
                OwnershipException.class,
                () -> OwnershipChange.run(
                        root,
                        new FileOwnership(2000, GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty()),
                        true,
                        half));
        ended.set(true);
        if (cancelled != null) {
            assertThat(cancelled.reason()).isEqualTo(Reason.CANCELLED);
            assertThat(group(root)).isEqualTo(1000);
            assertThat(mode(root)).as("the root has lost the sign").isEqualTo(0775);
        }

        change(1000, GroupChangePolicy.ON_ROOT_MISMATCH);
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files.filter(path -> unchecked(path) != 1000)).isEmpty();
        }
    }

    private static long unchecked(Path path) {
        try {
            return group(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void readOnlyFileSystemIsRefusedBeforeAnyChange() throws IOException {
        file("a", 0600);
        RealMountsTest.run("mount", "-o", "remount,ro", root.toString());
        String before = state(root);
        OwnershipException refused = refused(root, true);
        assertThat(refused.reason()).isEqualTo(Reason.UNSUPPORTED_HERE);
        assertThat(refused).hasMessageContaining("Read-only file system").hasMessageContaining("name none");
        assertThat(state(root)).isEqualTo(before);
    }

    /** The owner of the files may change their modes, and not give them to a foreign group: root without CAP_CHOWN. */
    @Test
    void refusedGroupLeavesTheRootAsItWas() throws Exception {
        withMode(root, 02755);
        file("a", 0600);
        long before = group(root);
        assertThat(withoutChown(true, 1, root)).contains("UNSUPPORTED_HERE").contains("Operation not permitted");
        assertThat(mode(root)).isEqualTo(02755);
        assertThat(group(root)).isEqualTo(before);
    }

    /** The foreign file belongs to another user, so that root without CAP_CHOWN may change all but it. */
    @Test
    void onlyTheFirstRefusedChangeLeavesTheRootAsItWas() throws Exception {
        Path empty = directory("empty", 02755);
        Path tree = directory("tree", 02755);
        Path mine = directory("tree/mine", 0755);
        Path foreign = file("tree/mine/foreign", 0600);
        Files.setAttribute(empty, "unix:uid", 1234);
        Files.setAttribute(mine, "unix:gid", 5);
        Files.setAttribute(foreign, "unix:gid", 5);
        Files.setAttribute(foreign, "unix:uid", 1234);
        assertThat(withoutChown(false, 0, empty, tree))
                .contains("UNSUPPORTED_HERE the owner, the group or the mode of the root directory")
                .contains("FAILED the group or the mode could not be changed: 'mine/foreign'");
        assertThat(mode(empty)).isEqualTo(02755);
        assertThat(mode(tree)).as("the root has lost the sign").isEqualTo(0755);
        assertThat(group(mine)).isZero();
    }

    private static String withoutChown(boolean mounted, int group, Path... roots) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--bounding-set=-chown",
                "--inh-caps=-chown",
                "--clear-groups",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OwnershipChangeTest.class.getName(),
                String.valueOf(mounted),
                String.valueOf(group)));
        Stream.of(roots).map(Path::toString).forEach(command::add);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Prints the reason of each refusal. */
    public static void main(String[] arguments) {
        FileOwnership wanted =
                new FileOwnership(Long.parseLong(arguments[1]), GroupChangePolicy.ALWAYS, OptionalLong.empty());
        for (String root : List.of(arguments).subList(2, arguments.length)) {
            try {
                OwnershipChange.run(Path.of(root), wanted, Boolean.parseBoolean(arguments[0]), new OwnershipProgress());
            } catch (OwnershipException e) {
                System.out.println(e.reason() + " " + e.getMessage());
            }
        }
    }

    @Test
    void hiddenFilesAndSocketsAreChanged() throws IOException {
        List<Path> files = List.of(file(".a", 0600), file("..a", 0600), file("...", 0600));
        Path socket = root.resolve("socket");
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            var unused = listening.bind(UnixDomainSocketAddress.of(socket));
        }
        withMode(socket, 0600);
        assertThat(change(GROUP, GroupChangePolicy.ALWAYS).visited()).isEqualTo(4);
        requireModes(files, "660", "660", "660");
        requireModes(List.of(socket), "660");
    }

    @Test
    void noFileStaysOpen() throws IOException {
        Path tree = directory("tree", 0755);
        for (int i = 0; i < 200; i++) {
            file("tree/" + i, 0600);
            Files.createDirectory(tree.resolve("d" + i));
        }
        RealMountsTest.run("mknod", tree.resolve("device").toString(), "c", "1", "3");
        long before = openFiles();
        change(GROUP, GroupChangePolicy.ALWAYS);
        OwnershipProgress cancelled = new OwnershipProgress();
        cancelled.cancel();
        OwnershipException refused = catchThrowableOfType(
                OwnershipException.class,
                () -> OwnershipChange.run(
                        root, new FileOwnership(7, GroupChangePolicy.ALWAYS, OptionalLong.empty()), true, cancelled));
        assertThat(refused.reason()).isEqualTo(Reason.CANCELLED);
        assertThat(cancelled.changed()).isZero();
        assertThat(openFiles()).isEqualTo(before).isZero();
    }

    private long openFiles() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(this::isBelowRoot).count();
        }
    }

    private boolean isBelowRoot(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(root);
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void targetHasToBeAMount() throws IOException {
        Path link = Files.createSymbolicLink(directory.toRealPath().resolve("link"), root);
        assertThat(refused(link, true).reason()).isEqualTo(Reason.NOT_A_MOUNT);
        assertThat(refused(link.resolve("below"), false).reason()).isEqualTo(Reason.NOT_A_MOUNT);
        assertThat(refused(directory("plain", 0755), true).reason()).isEqualTo(Reason.NOT_A_MOUNT);
        assertThat(refused(file("file", 0644), false).reason()).isEqualTo(Reason.NOT_A_MOUNT);
        assertThat(refused(root.resolve("missing"), false))
                .hasMessageContaining("missing")
                .hasMessageContaining("No such file or directory");
        assertThat(group(root)).isNotEqualTo(GROUP);
    }

    @Test
    void deepTreeIsChangedUpToALimit() throws IOException {
        Path deepest = root;
        for (int i = 1; i < Walker.MAX_DEPTH; i++) {
            deepest = Files.createDirectory(deepest.resolve("d"));
        }
        Path file = Files.createFile(deepest.resolve("file"));
        change(GROUP, GroupChangePolicy.ALWAYS);
        assertThat(group(file)).isEqualTo(GROUP);

        Files.createDirectory(deepest.resolve("too-deep"));
        OwnershipException refused = refused(root, true);
        assertThat(refused.reason()).isEqualTo(Reason.FAILED);
        assertThat(refused).hasMessageContaining("too-deep");
        assertThat(mode(root) & 02000).as("the root is not finished").isZero();
    }

    @Test
    void eachEntryOfManyAndOfAnyNameIsChangedOnce() throws IOException {
        Path many = directory("many", 0755);
        for (int i = 0; i < 6_000; i++) {
            Files.createFile(many.resolve("a-name-of-some-length-" + i));
        }
        RealMountsTest.run("sh", "-c", "touch \"$(printf '" + root + "/odd\\377\\nname')\"");
        OwnershipProgress progress = change(GROUP, GroupChangePolicy.ALWAYS);
        assertThat(progress.visited()).isEqualTo(6_002);
        assertThat(progress.changed()).isEqualTo(6_003);
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.filter(path -> unchecked(path) != GROUP)).isEmpty();
        }
    }

    /**
     * A writer exchanges a directory with a link to a directory outside, removes files and makes new ones, all the time.
     * The directory outside is in the same file system, so only the kernel's refusal of links protects it.
     */
    @Test
    void racingWriterDoesNotLeadTheWalkOutside() throws Exception {
        Path outside = directory("outside", 0755);
        Path sentinel = file("outside/file", 0600);
        String before = state(outside) + state(sentinel);
        Path tree = directory("tree", 0755);
        Path inner = directory("tree/inner", 0755);
        file("tree/inner/file", 0600);
        // Between the reading of the directory and the opening of an entry, the writer exchanges it many times.
        for (int i = 0; i < 300; i++) {
            file("tree/" + i, 0600);
        }
        Path aside = tree.resolve("aside");
        Thread walking = new Thread(() -> {
            for (int i = 0; i < 300; i++) {
                change(tree, 1000L + i % 2, GroupChangePolicy.ALWAYS, false);
            }
        });
        Throwable[] failed = new Throwable[1];
        walking.setUncaughtExceptionHandler((thread, e) -> failed[0] = e);
        walking.start();
        int swaps = 0;
        while (walking.isAlive()) {
            Files.move(inner, aside, StandardCopyOption.ATOMIC_MOVE);
            Files.createSymbolicLink(inner, Path.of("../outside"));
            Files.delete(inner);
            Files.createSymbolicLink(inner, Path.of("../outside/file"));
            Files.delete(inner);
            Files.move(aside, inner, StandardCopyOption.ATOMIC_MOVE);
            Path passing = Files.createFile(tree.resolve("passing"));
            Files.delete(passing);
            swaps++;
        }
        walking.join();
        assertThat(failed[0]).isNull();
        assertThat(swaps).isGreaterThan(1_000);
        assertThat(state(outside) + state(sentinel)).isEqualTo(before);
        assertThat(Files.exists(inner.resolve("file"))).isTrue();
    }
}
