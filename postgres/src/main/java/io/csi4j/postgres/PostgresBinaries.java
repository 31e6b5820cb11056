package io.csi4j.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.jar.JarFile;

/** The programs of one version of PostgreSQL, unpacked once per build, with an empty database to copy. */
final class PostgresBinaries {
    private static final Path ROOT = root();
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 1L << 30;
    private static final String ARCHIVE = "postgres-linux-x86_64.txz";

    private static final boolean AVAILABLE = System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64")
            && Programs.succeeds("tar", "--version")
            && Programs.succeeds("xz", "--version")
            && (!Programs.root() || Programs.succeeds("setpriv", "--version"));

    private final Path directory;

    private PostgresBinaries(Path directory) {
        this.directory = directory;
    }

    /** The user of the server may not enter each place that root builds in, for example the home of root. */
    private static Path root() {
        try {
            if (Files.isDirectory(Path.of("target"))) {
                Path target =
                        Files.createDirectories(Path.of("target", "postgres")).toAbsolutePath();
                if (Programs.succeeds(Programs.unprivileged(List.of("test", "-x", target.toString())))) {
                    return target;
                }
            }
            Path temporary = Files.createTempDirectory("csi4j-postgres-");
            Programs.giveToServer(temporary);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Programs.delete(temporary)));
            return temporary;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the newest supported version. Skips the test where it cannot run. */
    static PostgresBinaries newest() {
        assumeTrue(AVAILABLE, "needs PostgreSQL for linux-amd64, tar and xz");
        URL archive = PostgresBinaries.class.getResource("/" + ARCHIVE);
        try {
            return unpacked(Path.of(((JarURLConnection) archive.openConnection())
                    .getJarFileURL()
                    .getPath()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the oldest supported version. Skips the test where it cannot run. */
    static PostgresBinaries oldest() {
        assumeTrue(AVAILABLE, "needs PostgreSQL for linux-amd64, tar and xz");
        return unpacked(Path.of(System.getProperty("csi4j.postgres.oldest")));
    }

    /**
     * Creates a directory for the files of a server: in memory where there is room, because the programs that share a
     * disk would slow the server down.
     */
    static Path newServer(boolean onDisk) {
        try {
            boolean memory = !onDisk
                    && Files.isWritable(MEMORY)
                    && Files.getFileStore(MEMORY).getUsableSpace() > ROOM;
            return Files.createTempDirectory(
                    memory ? MEMORY : Files.createDirectories(ROOT.resolve("servers")), "csi4j-postgres-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path program(String name) {
        return directory.resolve("programs").resolve("bin").resolve(name);
    }

    /** The data of a server that has no table yet, and was stopped. */
    Path template() {
        return directory.resolve("template");
    }

    private static synchronized PostgresBinaries unpacked(Path jar) {
        try {
            Path directory = Files.createDirectories(
                    ROOT.resolve(jar.getFileName().toString().replace(".jar", "")));
            // Another JVM of the build may do the same.
            try (FileChannel file = FileChannel.open(
                            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                assert lock.isValid();
                Path stamp = directory.resolve("jar");
                String current = Long.toString(Files.size(jar));
                if (!Programs.text(stamp).equals(current)) {
                    unpack(jar, directory);
                    Files.writeString(stamp, current);
                }
            }
            return new PostgresBinaries(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void unpack(Path jar, Path directory) throws IOException {
        Path programs = directory.resolve("programs");
        Path template = directory.resolve("template");
        Programs.delete(programs);
        Programs.delete(template);
        Path archive = directory.resolve(ARCHIVE);
        try (JarFile opened = new JarFile(jar.toFile());
                InputStream content = opened.getInputStream(opened.getEntry(ARCHIVE))) {
            Files.copy(content, archive, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.createDirectories(programs);
        Programs.run("tar", "-xJf", archive.toString(), "-C", programs.toString(), "--no-same-owner");
        Programs.run("chmod", "-R", "a+rX", programs.toString());
        Files.delete(archive);
        Files.createDirectory(template);
        Programs.giveToServer(template);
        Programs.run(Programs.unprivileged(List.of(
                programs.resolve("bin").resolve("initdb").toString(),
                "--pgdata=" + template,
                "--username=postgres",
                "--auth=trust",
                "--no-locale",
                "--encoding=UTF8",
                "--no-sync",
                "--wal-segsize=1")));
    }
}
