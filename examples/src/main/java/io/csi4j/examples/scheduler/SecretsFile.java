package io.csi4j.examples.scheduler;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.SecretsQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Takes the secrets of calls from a file, which is read for each call, so that a change counts at once. A line has the
 * namespace and the name of a volume, and pairs: {@code default/db user=app password=s3cret}. Calls that name no volume
 * of the state have the line {@code -}. While there is no file, calls have the secrets that the volumes declare.
 */
final class SecretsFile implements SecretsProvider {
    private static final Set<PosixFilePermission> OWNER =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final Path file;

    private SecretsFile(Path file) {
        this.file = file;
    }

    /** Returns the secrets of the file {@code secrets.txt} in a directory, which only the user of the server can enter. */
    static SecretsFile in(Path directory) {
        return new SecretsFile(directory.resolve("secrets.txt"));
    }

    @Override
    public CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query) {
        if (!Files.exists(file)) {
            return SecretsProvider.ofVolumes().secrets(query);
        }
        try {
            String subject =
                    query.volume().map(volume -> volume.key().toString()).orElse("-");
            return CompletableFuture.completedFuture(read(subject));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns the secrets of a line; empty if there is no such line. */
    private Optional<Secrets> read(String subject) throws IOException {
        if (!OWNER.containsAll(Files.getPosixFilePermissions(file))) {
            throw new IOException(file + " may be read by other users; run chmod 600 on it");
        }
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            String[] words = line.strip().split("\\s+");
            if (words[0].equals(subject)) {
                return Optional.of(Secrets.of(pairs(words, number)));
            }
        }
        return Optional.empty();
    }

    private Map<String, String> pairs(String[] words, int number) throws IOException {
        Map<String, String> pairs = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 1) {
                // The word may be a secret, so the message does not contain it.
                throw new IOException(file + ": word " + (i + 1) + " of line " + number + " is not KEY=VALUE");
            }
            pairs.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        return pairs;
    }
}
