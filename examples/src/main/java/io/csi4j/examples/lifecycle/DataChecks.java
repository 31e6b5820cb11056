package io.csi4j.examples.lifecycle;

import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.examples.steps.UndoStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Checks the data of a published volume as its user sees it. */
final class DataChecks {
    private final Session session;

    DataChecks(Session session) {
        this.session = session;
    }

    private boolean block() {
        return session.options().capability().isBlock();
    }

    /** Checks that the kernel shows the mount that the plugin reported. */
    void checkMount(Path target) {
        session.steps().local("check the mount", () -> {
            Optional<ProcessMounts.Mount> mount = ProcessMounts.read().at(target);
            if (mount.isPresent()) {
                return (block()
                                ? "size " + Quantities.text(TestContent.deviceSize(target))
                                : "file system " + mount.get().fsType())
                        + (mount.get().readonly() ? ", read-only" : "");
            }
            if (block() && TestContent.isBlockDevice(target)) {
                return "a device node, size " + Quantities.text(TestContent.deviceSize(target));
            }
            throw new IOException("the plugin answered OK, but nothing is mounted at " + target
                    + ". If the plugin runs in a container or mount namespace of its own, --work-dir must be a"
                    + " directory that both see under the same path, with bidirectional mount propagation (R9)");
        });
    }

    /** Writes known bytes and reads them back; empty if this volume must not be written to. */
    Optional<TestContent> writeAndVerify(NodeSteps node, Path target) {
        if (session.options().accessMode().readerOnly()) {
            session.skip("write and read back", session.options().accessMode() + " does not allow writing");
            return Optional.empty();
        }
        if (block() && session.options().volumeId().isPresent()) {
            session.skip("write and read back", "the data on a block device of --volume-id is not overwritten");
            return readExisting(target);
        }
        TestContent content = TestContent.from(
                session.options().volumeName(), block(), session.options().fileName());
        if (!block() && session.options().volumeId().isPresent()) {
            session.steps().prepare(() -> {}, removal(node.volume(), content.file(target)));
        }
        session.steps().local("write and read back", () -> {
            content.write(target);
            content.verify(target);
            return content.text();
        });
        return Optional.of(content);
    }

    /**
     * The content that remains after the first target is unpublished. A file in an existing volume is removed before that.
     */
    Optional<TestContent> remaining(Optional<TestContent> content) {
        return block() || session.options().volumeId().isEmpty() ? content : Optional.empty();
    }

    private Optional<TestContent> readExisting(Path target) {
        TestContent[] found = new TestContent[1];
        session.steps().local("read", () -> {
            found[0] = TestContent.read(target);
            return found[0].text();
        });
        return Optional.of(found[0]);
    }

    private static UndoStep removal(CreatedVolume volume, Path file) {
        return UndoStep.local(
                "remove " + file,
                volume.subject(),
                () -> Files.deleteIfExists(file),
                "the file " + file.getFileName() + " in volume " + volume.id() + "; delete it");
    }

    void verify(String step, Optional<TestContent> content, Path target) {
        if (content.isEmpty()) {
            session.skip(step, "the volume has no content of this program");
            return;
        }
        session.steps().local(step, () -> {
            content.get().verify(target);
            return content.get().text();
        });
    }

    /** Checks that the plugin honours readonly (R88). */
    void checkReadonly(Optional<TestContent> content, Path target) {
        TestContent expected = content.orElseGet(() -> TestContent.from("", block(), "csi4j-readonly.bin"));
        boolean rewrite = block() && content.isPresent();
        boolean[] refused = new boolean[1];
        session.steps().local("try to write", () -> {
            refused[0] = rewrite ? expected.refusesRewrite(target) : expected.refusesOpening(target);
            if (!refused[0] && !TestContent.isBlockDevice(target)) {
                throw new IOException("published read-only, but a write was possible (R88)");
            }
            return refused[0] ? "refused, as expected" : "possible";
        });
        if (!refused[0]) {
            session.warn("compare", "a read-only mount does not protect the device behind a device node");
        }
    }
}
