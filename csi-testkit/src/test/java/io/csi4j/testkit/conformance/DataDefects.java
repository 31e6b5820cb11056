package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.planted;
import static io.csi4j.testkit.conformance.Defect.request;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Defect.Variant;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.csi4j.testkit.conformance.FaultyFake.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Defects of the data that workloads see at the targets of mounted volumes. */
final class DataDefects {
    private DataDefects() {}

    static List<Defect> all() {
        return Stream.of(
                        planted("a volume that comes back is empty", "R43", "data.kept", ComesBackEmpty::new),
                        planted(
                                "each target has data of its own",
                                "R89",
                                "data.second-target",
                                () -> new Covered(DataDefects::emptyDirectory)),
                        planted("a restored volume has the present data", "R76", "data.snapshot", RestoresPresent::new),
                        planted("a restore changes the source", "R76", "data.snapshot", RestoresSource::new),
                        planted(
                                "a clone is empty",
                                "R57",
                                "data.clone",
                                request(
                                        CreateVolumeRequest.class,
                                        one -> one.toBuilder()
                                                .clearVolumeContentSource()
                                                .build())),
                        planted(
                                "a clone and its source share their data",
                                "R57",
                                "data.clone",
                                () -> new Covered(first -> first)),
                        planted(
                                "two volumes share their data",
                                "R57",
                                "data.two-volumes",
                                () -> new Covered(first -> first)),
                        planted("a volume that grows is empty", "R82", "data.expanded", GrowsEmpty::new),
                        planted(
                                "readonly is ignored",
                                "R88",
                                "publish.readonly-refuses-writes",
                                () -> DataDefects::writable),
                        planted(
                                "a reader mode is ignored",
                                "R96",
                                "publish.reader-mode-refuses-writes",
                                () -> DataDefects::writable))
                .map(defect -> defect.in(Variant.REAL_MOUNTS))
                .toList();
    }

    private static Path emptyDirectory(Path first) {
        try {
            return Files.createDirectory(first.resolveSibling("own"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(String... command) {
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Removes the files of a volume at its target. */
    private static void empty(String target) {
        try (Stream<Path> files = Files.list(Path.of(target))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each target is writable. */
    private static Message writable(Call call) {
        Message answer = call.forward();
        if (call.request() instanceof NodePublishVolumeRequest publish) {
            run("mount", "-o", "remount,bind,rw", publish.getTargetPath());
        }
        return answer;
    }

    /** Removes the data of a volume at each publication but its first. */
    private static final class ComesBackEmpty implements Behaviour {
        private final Map<String, String> published = new ConcurrentHashMap<>();

        @Override
        public Message answer(Call call) {
            Message answer = call.forward();
            if (call.request() instanceof NodePublishVolumeRequest publish
                    && published.putIfAbsent(publish.getVolumeId(), "") != null) {
                empty(publish.getTargetPath());
            }
            return answer;
        }
    }

    /** Removes the data of a volume at its first publication after an expansion. */
    private static final class GrowsEmpty implements Behaviour {
        private final Map<String, String> grown = new ConcurrentHashMap<>();

        @Override
        public Message answer(Call call) {
            Message answer = call.forward();
            if (call.request() instanceof ControllerExpandVolumeRequest expand) {
                grown.put(expand.getVolumeId(), "");
            } else if (call.request() instanceof NodePublishVolumeRequest publish
                    && grown.remove(publish.getVolumeId()) != null) {
                empty(publish.getTargetPath());
            }
            return answer;
        }
    }

    /** Mounts another directory over each target but the first one. */
    private static final class Covered implements Behaviour {
        private final UnaryOperator<Path> cover;
        private final Map<String, String> covered = new ConcurrentHashMap<>();
        private volatile String first = "";

        Covered(UnaryOperator<Path> cover) {
            this.cover = cover;
        }

        @Override
        public Message answer(Call call) {
            if (call.request() instanceof NodeUnpublishVolumeRequest unpublish
                    && covered.remove(unpublish.getTargetPath()) != null) {
                run("umount", unpublish.getTargetPath());
            }
            Message answer = call.forward();
            if (call.request() instanceof NodePublishVolumeRequest publish) {
                if (first.isEmpty()) {
                    first = publish.getTargetPath();
                } else {
                    Path other = cover.apply(Path.of(first));
                    run("mount", "--bind", other.toString(), publish.getTargetPath());
                    covered.put(publish.getTargetPath(), "");
                }
            }
            return answer;
        }
    }

    /** Creates a volume from a snapshot with the data that the source has then. */
    private static final class RestoresPresent implements Behaviour {
        private volatile String source = "";

        @Override
        public Message answer(Call call) {
            if (call.request() instanceof CreateSnapshotRequest snapshot) {
                source = snapshot.getSourceVolumeId();
            }
            if (call.request() instanceof CreateVolumeRequest create
                    && create.getVolumeContentSource().hasSnapshot()) {
                CreateVolumeRequest.Builder changed = create.toBuilder();
                changed.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(source);
                return call.forward(changed.build());
            }
            return call.forward();
        }
    }

    /** Sets the source of a snapshot back when a volume is created from the snapshot. */
    private static final class RestoresSource implements Behaviour {
        private volatile Path target = Path.of("");
        private final Map<Path, byte[]> saved = new ConcurrentHashMap<>();

        @Override
        public Message answer(Call call) {
            Message answer = call.forward();
            try {
                if (call.request() instanceof NodePublishVolumeRequest publish && saved.isEmpty()) {
                    target = Path.of(publish.getTargetPath());
                } else if (call.request() instanceof CreateSnapshotRequest && saved.isEmpty()) {
                    try (Stream<Path> files = Files.list(target)) {
                        for (Path file : files.toList()) {
                            saved.put(file, Files.readAllBytes(file));
                        }
                    }
                } else if (call.request() instanceof CreateVolumeRequest) {
                    for (Map.Entry<Path, byte[]> file : saved.entrySet()) {
                        Files.write(file.getKey(), file.getValue());
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return answer;
        }
    }
}
