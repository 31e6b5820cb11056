package io.csi4j.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is mounted below a directory, with the kernel's ids: a mount that was taken away and made again has another. */
record MountIds(Map<Path, List<String>> byPoint) {
    static MountIds below(Path directory) throws IOException {
        Map<Path, List<String>> found = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            String[] columns = line.split(" ", -1);
            Path point = Path.of(columns[4]);
            if (point.startsWith(directory)) {
                found.computeIfAbsent(point, path -> new ArrayList<>()).add(columns[0]);
            }
        }
        return new MountIds(found);
    }

    /** The id of what is mounted at a path, or what is wrong there. */
    String at(Path point) {
        List<String> ids = byPoint.getOrDefault(point, List.of());
        return ids.size() == 1 ? ids.get(0) : ids.size() + " mounts at " + point;
    }

    /** All that is mounted below a path. */
    List<Path> within(Path directory) {
        return byPoint.entrySet().stream()
                .filter(each -> each.getKey().startsWith(directory))
                .flatMap(each -> each.getValue().stream().map(id -> each.getKey()))
                .toList();
    }
}
