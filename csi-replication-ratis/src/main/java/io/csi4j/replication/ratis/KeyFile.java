package io.csi4j.replication.ratis;

import io.csi4j.core.state.SecretsCipher;
import io.csi4j.replication.ratis.internal.files.FileSync;
import io.csi4j.state.AesGcmSecretsCipher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * A file with the keys of a server. Each line has the id and the Base64 value of one key. The key in the first line
 * encrypts new values; the other keys only decrypt older values.
 */
final class KeyFile {
    private static final int KEY_BITS = 256;
    private static final String FIRST_ID = "1";

    private KeyFile() {}

    /**
     * Returns the cipher with the keys of a data directory. A directory without a log gets a new key.
     *
     * @throws IOException if the file is missing although there is a log, is damaged, or can be read by others
     */
    static SecretsCipher cipher(Path directory) throws IOException {
        Path file = directory.resolve("secrets.key");
        if (Files.notExists(file)) {
            if (Files.exists(directory.resolve("log"))) {
                throw new IOException("The key file " + file + " is missing, and the data directory has a log, whose"
                        + " secrets cannot be read without it. Restore the file from a backup, or set the secretsCipher"
                        + " with which the log was written");
            }
            create(file);
        }
        mustBePrivate(file);
        AesGcmSecretsCipher.Builder keys = AesGcmSecretsCipher.builder();
        List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
        for (int i = 0; i < lines.size(); i++) {
            String[] parts = lines.get(i).split(" ", -1);
            SecretKey key = key(file, i + 1, parts);
            if (i == 0) {
                keys.currentKey(parts[0], key);
            } else {
                keys.oldKey(parts[0], key);
            }
        }
        return keys.build();
    }

    private static SecretKey key(Path file, int line, String[] parts) throws IOException {
        try {
            if (parts.length == 2) {
                return new SecretKeySpec(Base64.getDecoder().decode(parts[1]), "AES");
            }
        } catch (IllegalArgumentException notBase64) {
            // The exception below names the number of the line and not its text, because the text may contain a part of
            // a key.
        }
        throw new IOException("The key file " + file + " is not usable: line " + line
                + " is not an id and a key in Base64. Restore it from a backup; without it, secrets in the data"
                + " directory cannot be read");
    }

    private static void create(Path file) throws IOException {
        SecretKey key;
        try {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(KEY_BITS);
            key = generator.generateKey();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("RatisCommandLog: this JDK has no AES", e);
        }
        Path beside = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(beside);
        Files.createFile(beside, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        String line = FIRST_ID + " " + Base64.getEncoder().encodeToString(key.getEncoded()) + "\n";
        Files.writeString(beside, line, StandardCharsets.US_ASCII);
        // Syncs the key file before the log gets its first entry, because no entry can be read without the key.
        FileSync.content(beside);
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
        FileSync.name(file);
    }

    private static void mustBePrivate(Path file) throws IOException {
        String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        if (!permissions.endsWith("------")) {
            throw new IOException("The key file " + file + " has the permissions " + permissions
                    + ", so others could read the keys; make it rw------- (chmod 600)");
        }
    }
}
