package io.csi4j.benchmarks.build;

import java.util.Arrays;
import java.util.Optional;

/** A property of the machine without which some tests are skipped. No test is skipped for another reason. */
enum Need {
    LINUX("needs Linux"),
    ROOT("needs root"),
    MOUNTS("needs the right to mount"),
    FUSE("needs FUSE"),
    LOOP_DEVICES("needs loop devices"),
    EXT4("needs mkfs.ext4"),
    OPENSSL("needs openssl"),
    CURL("needs curl"),
    SCRIPT("needs script of util-linux"),
    GROFF("needs groff"),
    ZSH("needs zsh"),
    POSTGRESQL("needs PostgreSQL for linux-amd64, tar and xz"),
    BROWSER("needs chromium and chromedriver");

    private final String text;

    Need(String text) {
        this.text = text;
    }

    /** The reason that a test gives for being skipped. */
    String text() {
        return text;
    }

    /** Returns the need that a reason states; empty: it states none. */
    static Optional<Need> of(String reason) {
        return Arrays.stream(values()).filter(need -> need.text.equals(reason)).findFirst();
    }
}
