package io.csi4j.node.internal.ownership;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A directory that is open for the walk. It is closed when no walker uses it any more. */
final class OpenDirectory {
    private final int descriptor;
    private final @Nullable OpenDirectory parent;
    private final String name;
    private final int depth;
    private final AtomicInteger users = new AtomicInteger(1);

    private OpenDirectory(int descriptor, @Nullable OpenDirectory parent, String name, int depth) {
        this.descriptor = descriptor;
        this.parent = parent;
        this.name = name;
        this.depth = depth;
    }

    static OpenDirectory root(int descriptor) {
        return new OpenDirectory(descriptor, null, "", 0);
    }

    OpenDirectory child(int opened, String childName) {
        return new OpenDirectory(opened, this, childName, depth + 1);
    }

    int descriptor() {
        return descriptor;
    }

    /** Returns the number of directories above this one, up to the root. */
    int depth() {
        return depth;
    }

    /** Returns the path of an entry below the root. */
    String path(String entry) {
        return parent == null ? entry : parent.path(name + "/" + entry);
    }

    OpenDirectory retain() {
        int unused = users.incrementAndGet();
        return this;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            Linux.closeFile(descriptor);
        }
    }
}
