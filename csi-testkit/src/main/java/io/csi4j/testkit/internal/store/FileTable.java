package io.csi4j.testkit.internal.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory with one file for each record. Other processes write there too, so each read checks the file; only the decoded value is
 * cached, while the file is unchanged.
 */
final class FileTable<T> implements Table<T> {
    private static final String SUFFIX = ".rec";
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9][a-z0-9-]{0,99}");

    private final Path directory;
    private final Codec<T> codec;
    private final ToLongFunction<T> size;
    private final Map<Path, Observed<T>> observed = new ConcurrentHashMap<>();

    private record Observed<T>(@Nullable Object fileKey, FileTime modified, long length, T value) {}

    FileTable(Path directory, Codec<T> codec, ToLongFunction<T> size) {
        this.directory = directory;
        this.codec = codec;
        this.size = size;
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the state directory " + directory + ": " + e, e);
        }
    }

    @Override
    public @Nullable T get(String key) {
        return read(fileOf(key));
    }

    private @Nullable T read(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Observed<T> before = observed.get(file);
            if (before != null
                    && now.lastModifiedTime().equals(before.modified)
                    && now.size() == before.length
                    && Objects.equals(now.fileKey(), before.fileKey)) {
                return before.value;
            }
            T value = codec.decode().apply(RecordFile.read(file, codec.kind()));
            observed.put(file, new Observed<>(now.fileKey(), now.lastModifiedTime(), now.size(), value));
            return value;
        } catch (RecordFields.Unreadable e) {
            throw new CorruptRecordException(file, String.valueOf(e.getMessage()));
        } catch (NoSuchFileException e) {
            observed.remove(file);
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e + "; check the state directory", e);
        }
    }

    @Override
    public void put(String key, T value) {
        Checkpoint.reached();
        RecordFile.write(fileOf(key), codec.kind(), codec.encode().apply(value));
        Checkpoint.reached();
    }

    @Override
    public void remove(String key) {
        Checkpoint.reached();
        RecordFile.delete(fileOf(key));
        observed.remove(fileOf(key));
        Checkpoint.reached();
    }

    @Override
    public Collection<T> all() {
        return after("");
    }

    @Override
    public Collection<T> after(String after) {
        Map<String, T> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                // Ignores any other file: it is an incomplete replacement, which the next replacement overwrites.
                T value = file.toString().endsWith(SUFFIX) ? read(file) : null;
                if (value != null && codec.key().apply(value).compareTo(after) > 0) {
                    found.put(codec.key().apply(value), value);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + directory + ": " + e + "; check the state directory", e);
        }
        return found.values();
    }

    @Override
    public Collection<T> where(Index<T> index, String value) {
        List<T> found = new ArrayList<>();
        for (T row : all()) {
            if (index.values().apply(row).contains(value)) {
                found.add(row);
            }
        }
        return found;
    }

    @Override
    public int count() {
        return all().size();
    }

    @Override
    public long total() {
        return all().stream().mapToLong(size).sum();
    }

    private Path fileOf(String key) {
        return directory.resolve(fileName(key) + SUFFIX);
    }

    /**
     * Returns the file name for a key. Ids of this plugin are plain words and stay readable; any other key is hashed, so that it cannot
     * name another path.
     */
    static String fileName(String key) {
        if (PLAIN.matcher(key).matches()) {
            return key;
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return "_" + HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
