import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/** The checksums of the module's classes. A class that is missing has zero. */
final class Checksums {
    private final Map<String, Long> known = new ConcurrentHashMap<>();
    private final List<Path> directories;

    Checksums(List<Path> directories) {
        this.directories = directories;
    }

    long of(String className) throws IOException {
        Long before = known.get(className);
        if (before != null) {
            return before;
        }
        CRC32 sum = new CRC32();
        for (Path directory : directories) {
            Path file = directory.resolve(className.replace('.', '/') + ".class");
            if (Files.exists(file)) {
                sum.update(Files.readAllBytes(file));
            }
        }
        known.put(className, sum.getValue());
        return sum.getValue();
    }
}
