package io.csi4j.admin.access;

import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A file for the secret of the first token, and the files beside it whose tokens the state may not have. */
final class SecretFile {
    private static final String PENDING = ".pending";
    private static final int MOST_BYTES = 1_024;

    private final Path file;
    private final Path directory;

    SecretFile(Path path) {
        this.file = path.toAbsolutePath();
        if (file.getFileName() == null) {
            throw new IllegalArgumentException("FirstToken: path is " + path + "; name a file");
        }
        this.directory = file.resolveSibling("");
    }

    @Override
    public String toString() {
        return file.toString();
    }

    /** Returns the files of calls that have not ended. */
    List<Path> pending() throws IOException {
        List<Path> pending = new ArrayList<>();
        String begin = file.getFileName() + ".";
        DirectoryStream.Filter<Path> filter = path -> {
            String name = path.getFileName().toString();
            return name.startsWith(begin) && name.endsWith(PENDING);
        };
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, filter)) {
            all.forEach(pending::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return pending;
    }

    /** Checks that there is no file yet, or that it has the secret of a token. */
    void checkFree() throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && read(file).isEmpty()) {
            throw new CsiException("the file " + file
                    + " for the secret of the first token exists, and is another file;" + " name a path that is free");
        }
    }

    /** Writes a secret to a new file that only the user of this process can read, durably. */
    Path writePending(AccessTokenSecret secret) throws IOException {
        Path pending = file.resolveSibling(file.getFileName() + "." + secret.id() + PENDING);
        try (FileChannel out = FileChannel.open(
                pending,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = ByteBuffer.wrap((secret.text() + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        forceDirectory();
        return pending;
    }

    /** Gives a pending file the name that the host has chosen. */
    void keep(Path pending) throws IOException {
        Files.move(pending, file, StandardCopyOption.ATOMIC_MOVE);
        forceDirectory();
    }

    void remove(List<Path> pending) throws IOException {
        for (Path one : pending) {
            Files.deleteIfExists(one);
        }
    }

    private void forceDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Returns the secret in a file; empty if it has none, for example because the process crashed while it wrote the file, or is a link. */
    static Optional<AccessTokenSecret> read(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (InputStream in = Channels.newInputStream(
                Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            return text.endsWith("\n")
                    ? AccessTokenSecret.parse(text.substring(0, text.length() - 1))
                    : Optional.empty();
        }
    }

    CsiException failed(IOException failure) {
        return new CsiException(
                "the secret of the first token cannot be written to " + file + " ("
                        + failure.getClass().getSimpleName() + ")"
                        + (failure instanceof NoSuchFileException ? "; create its directory" : "; check its directory"),
                failure);
    }
}
