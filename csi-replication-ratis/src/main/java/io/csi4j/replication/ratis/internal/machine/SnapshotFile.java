package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.FileSync;
import io.csi4j.replication.ratis.internal.machine.SnapshotContent.Capture;
import io.csi4j.state.StateStore;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.util.MD5FileUtil;

/** Writes and reads the file of a snapshot: a head, the content, the state, and a SHA-256 digest of all of it. */
final class SnapshotFile {
    private static final byte[] HEAD = "csi4jsn1".getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER = 1 << 16;

    private SnapshotFile() {}

    private static final Set<OpenOption> REPLACE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /**
     * Writes a snapshot to a temporary file, and then gives the file its final name. A file with this name is always
     * complete and durable.
     *
     * @param store encodes the state
     * @param capture the snapshot
     * @param beside the temporary file, in another directory of the same file system
     * @param target the name of the finished snapshot
     */
    static void write(StateStore store, Capture capture, Path beside, Path target) throws IOException {
        // Also computes the MD5 digest, which Ratis compares when it sends the snapshot to another peer.
        MessageDigest md5 = MD5FileUtil.newMD5();
        try (FileChannel channel = FileChannel.open(beside, REPLACE, PRIVATE)) {
            OutputStream file =
                    new BufferedOutputStream(new DigestOutputStream(Channels.newOutputStream(channel), md5), BUFFER);
            MessageDigest sha = RollingDigest.sha256();
            DataOutputStream out = new DataOutputStream(new DigestOutputStream(file, sha));
            out.write(HEAD);
            capture.content().write(out);
            store.encode(capture.state(), out);
            out.flush();
            file.write(sha.digest());
            file.flush();
            channel.force(true);
        }
        Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
        MD5FileUtil.saveMD5File(target.toFile(), MD5Hash.newInstance(md5.digest()));
        FileSync.name(target);
    }

    /** Makes the content and the name of a finished file durable. */
    static void sync(Path file) throws IOException {
        FileSync.content(file);
        FileSync.name(file);
    }

    /**
     * Checks the whole file, and then restores the state.
     *
     * @return the content of the snapshot besides the state
     * @throws LogFailedException if the file is damaged
     */
    static SnapshotContent read(StateStore store, Path file) throws IOException {
        long end = Files.size(file) - RollingDigest.LENGTH;
        check(file, end);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
            InputStream body = new LimitedInput(in, end);
            body.skipNBytes(HEAD.length);
            SnapshotContent content = SnapshotContent.read(new DataInputStream(body));
            store.restore(body);
            return content;
        }
    }

    private static void check(Path file, long end) throws IOException {
        if (end < HEAD.length) {
            throw damaged(file, "it has " + Files.size(file) + " bytes, so it was cut off");
        }
        MessageDigest sha = RollingDigest.sha256();
        try (InputStream in = Files.newInputStream(file)) {
            InputStream body = new LimitedInput(in, end);
            byte[] buffer = new byte[BUFFER];
            boolean first = true;
            for (int count = body.read(buffer, 0, BUFFER); count >= 0; count = body.read(buffer, 0, BUFFER)) {
                if (first && !Arrays.equals(HEAD, Arrays.copyOf(buffer, HEAD.length))) {
                    throw damaged(file, "its first bytes are not those of a snapshot of this version");
                }
                first = false;
                sha.update(buffer, 0, count);
            }
            if (!Arrays.equals(sha.digest(), in.readNBytes(RollingDigest.LENGTH))) {
                throw damaged(file, "its SHA-256 digest does not fit, so it was changed or cut off");
            }
        }
    }

    private static LogFailedException damaged(Path file, String reason) {
        return new LogFailedException(
                "The snapshot " + file + " is damaged: " + reason + ". Nothing was restored. With other peers,"
                        + " replace this one: remove it from the cluster, and add a peer with a new id and an empty"
                        + " directory; without them, restore the data directory from a backup",
                null);
    }
}
