package io.csi4j.examples.lifecycle;

import io.csi4j.examples.walk.Back;
import io.csi4j.examples.walk.ProcessMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Looks at a published volume with the eyes of its user. */
final class Data {
    private final Session session;

    Data(Session session) {
        this.session = session;
    }

    private boolean block() {
        return session.options().capability().isBlock();
    }

    /** OK is the plugin's word; this is the kernel's. */
    void checkMount(Path target) {
        session.walk().local("check the mount", () -> {
            Optional<ProcessMounts.Mount> mount = ProcessMounts.read().at(target);
            if (mount.isPresent()) {
                return (block()
                                ? "size " + Quantity.text(Content.deviceSize(target))
                                : "file system " + mount.get().fsType())
                        + (mount.get().readonly() ? ", read-only" : "");
            }
            if (block() && Content.isBlockDevice(target)) {
                return "a device node, size " + Quantity.text(Content.deviceSize(target));
            }
            throw new IOException("the plugin answered OK, but nothing is mounted at " + target
                    + ". If the plugin runs in a container or mount namespace of its own, --work-dir must be a"
                    + " directory that both see under the same path, with bidirectional mount propagation (R9)");
        });
    }

    /** Writes known bytes and reads them back; empty if this volume must not be written to. */
    Optional<Content> fill(OnNode node, Path target) {
        if (session.options().accessMode().readerOnly()) {
            session.skip("write and read back", session.options().accessMode() + " does not allow writing");
            return Optional.empty();
        }
        if (block() && session.options().volumeId().isPresent()) {
            session.skip("write and read back", "the data on a block device of --volume-id is not overwritten");
            return readAsItIs(target);
        }
        Content content = Content.from(
                session.options().volumeName(), block(), session.options().fileName());
        if (!block() && session.options().volumeId().isPresent()) {
            session.walk().prepare(() -> {}, removal(node.volume(), content.at(target)));
        }
        session.walk().local("write and read back", () -> {
            content.write(target);
            content.verify(target);
            return content.text();
        });
        return Optional.of(content);
    }

    /** What is still in the volume after its first target is gone: a file in a volume of somebody else is not. */
    Optional<Content> lasting(Optional<Content> content) {
        return block() || session.options().volumeId().isEmpty() ? content : Optional.empty();
    }

    private Optional<Content> readAsItIs(Path target) {
        Content[] found = new Content[1];
        session.walk().local("read", () -> {
            found[0] = Content.read(target);
            return found[0].text();
        });
        return Optional.of(found[0]);
    }

    private static Back removal(CreatedVolume volume, Path file) {
        return Back.local(
                "remove " + file,
                volume.subject(),
                () -> Files.deleteIfExists(file),
                "the file " + file.getFileName() + " in volume " + volume.id() + "; delete it");
    }

    void verify(String step, Optional<Content> content, Path target) {
        if (content.isEmpty()) {
            session.skip(step, "there is nothing in the volume that this program knows");
            return;
        }
        session.walk().local(step, () -> {
            content.get().verify(target);
            return content.get().text();
        });
    }

    /** A plugin must honour readonly (R88). */
    void checkReadonly(Optional<Content> content, Path target) {
        Content known = content.orElseGet(() -> Content.from("", block(), "csi4j-readonly.bin"));
        boolean rewrite = block() && content.isPresent();
        boolean[] refused = new boolean[1];
        session.walk().local("try to write", () -> {
            refused[0] = rewrite ? known.refusesRewrite(target) : known.refusesOpening(target);
            if (!refused[0] && !Content.isBlockDevice(target)) {
                throw new IOException("published read-only, and a write was possible (R88)");
            }
            return refused[0] ? "refused, as it should be" : "possible";
        });
        if (!refused[0]) {
            session.warn("compare", "a read-only mount does not protect the device behind a device node");
        }
    }
}
