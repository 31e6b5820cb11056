package io.csi4j.core.internal.check;

import java.util.Map;

/**
 * The limits of everything that arrives from a plugin, a node, a server or a caller. Each kind of value has one limit,
 * and this is the only place for it. {@link CsiLimits} applies them to requests before they are sent.
 *
 * <p>The specification's limit counts where there is one (R16-R25), except for {@link #ID} and {@link #TOKEN}: the ids
 * of drivers in wide use are longer than 128 bytes.
 */
public enum InputLimit {
    /** A text without a limit of its own. */
    STRING(128, "bytes", "R16"),
    /** The keys and values of a map together. */
    MAP(4_096, "bytes", "R16"),
    /** All mount flags together. */
    MOUNT_FLAGS(4_096, "bytes", "R18"),
    /** The id of a node as the plugin knows it. */
    NODE_ID(256, "bytes", "R17"),
    /** The name of a plugin. */
    PLUGIN_NAME(63, "bytes", "R19"),
    /** The prefix or the name in a key of a topology, and a value of it. */
    TOPOLOGY_PART(63, "bytes", "R24"),
    /** The id of a volume, a snapshot or a group; ids of clouds are paths, with up to 300 bytes. */
    ID(1_024, "bytes", "the specification says 128"),
    /** The token of a page. */
    TOKEN(1_024, "bytes", "the specification says 128"),
    /** A path of a file system. */
    PATH(4_096, "bytes", "R20"),
    /** A text for people from an agent or a server. Those of plugins are cut ({@link #MESSAGE}). */
    TEXT(65_536, "bytes", "of csi4j"),
    /** The name that an agent gives to an attempt of a claim. */
    ATTEMPT(64, "bytes", "of csi4j"),
    /**
     * Bytes, and texts that are cut when they are read: the limit is that of the whole message, which the host can set
     * (maxInboundMessageSize, 16 MiB by default).
     */
    MESSAGE(Integer.MAX_VALUE, "bytes", "of csi4j"),

    /** Mount flags of a volume. */
    FLAGS(1_000, "elements", "of csi4j"),
    /** Capabilities of a plugin or of a volume. */
    CAPABILITIES(200, "elements", "of csi4j"),
    /** Topologies from which a volume or a snapshot is accessible. */
    TOPOLOGIES(1_000, "elements", "of csi4j"),
    /** Entries of one page of a list. */
    ENTRIES(100_000, "elements", "of csi4j"),
    /** Snapshots of a group. */
    SNAPSHOTS(10_000, "elements", "of csi4j"),
    /** Nodes to which a volume is published. */
    NODES(10_000, "elements", "of csi4j"),
    /** Ranges in one message of snapshot metadata. */
    RANGES(500_000, "elements", "of csi4j"),
    /** Measures of a volume's use, and states of its health. */
    MEASURES(1_000, "elements", "of csi4j"),
    /** Messages in one page of snapshot metadata. */
    PAGE_MESSAGES(10_000, "elements", "of csi4j"),
    /** Messages of snapshot metadata in a row that hold no range. */
    MESSAGES_WITHOUT_RANGE(1_000, "elements", "of csi4j"),
    /** Pages of one list. */
    PAGES(20_000, "pages", "of csi4j"),
    /** Pages of one list in a row that hold nothing new. */
    PAGES_WITHOUT_PROGRESS(50, "pages", "of csi4j"),
    /** Entries of all pages of a list together, if the list is held in memory. */
    LISTED(1_000_000, "elements", "of csi4j"),
    /** The texts of all pages of a list together, if the list is held in memory. */
    LISTED_TEXT(64 << 20, "bytes", "of csi4j"),
    /** Plugin instances of one node. */
    INSTANCES(256, "elements", "of csi4j"),
    /** Volumes in one claim. */
    CLAIMED_VOLUMES(1_000, "elements", "of csi4j"),
    /** Volumes and mounts in the report of one node. */
    NODE_VOLUMES(100_000, "elements", "of csi4j"),
    /** Problems of one request. */
    PROBLEMS(1_000, "elements", "of csi4j"),
    /** Unanswered calls of one agent or server. */
    PEER_CALLS(10_000, "calls", "of csi4j"),
    /** Unanswered calls of all agents and servers. */
    ALL_CALLS(100_000, "calls", "of csi4j"),
    /** The messages of the unanswered calls of one agent or server. */
    PEER_BYTES(64 << 20, "bytes", "of csi4j"),
    /** The messages of the unanswered calls of all agents and servers. */
    ALL_BYTES(256 << 20, "bytes", "of csi4j"),
    /** Volumes in the claims that a server remembers for one node. */
    NODE_CLAIMS(20_000, "volumes", "of csi4j"),
    /** Volumes in the claims that a server remembers for all nodes. */
    ALL_CLAIMS(500_000, "volumes", "of csi4j"),
    /** Cancelled claims that a server remembers for one node. */
    NODE_CANCELLED(10_000, "claims", "of csi4j"),
    /** Cancelled claims that a server remembers for all nodes. */
    ALL_CANCELLED(200_000, "claims", "of csi4j");

    private final int max;
    private final String unit;
    private final String source;

    InputLimit(int max, String unit, String source) {
        this.max = max;
        this.unit = unit;
        this.source = source;
    }

    /** Returns the largest accepted size, in bytes of UTF-8 or elements. */
    public int max() {
        return max;
    }

    /** Returns whether a size is beyond this limit. */
    public boolean isExceededBy(long size) {
        return size > max;
    }

    /** Returns whether the text has more bytes of UTF-8 than this limit. */
    public boolean isExceededBy(String text) {
        // A UTF-16 unit needs at most three bytes of UTF-8.
        return text.length() > max / 3 && CsiText.utf8Length(text) > max;
    }

    /** Describes a size beyond this limit. */
    public String problem(long size) {
        return "has " + size + " " + unit + ", and at most " + max + " are accepted (" + source + ")";
    }

    /** Returns the number of bytes of a text in UTF-8. */
    public static int bytes(String text) {
        return CsiText.utf8Length(text);
    }

    /** Returns the number of bytes of all keys and values of a map in UTF-8. */
    public static long bytes(Map<String, String> map) {
        long bytes = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            bytes += (long) bytes(entry.getKey()) + bytes(entry.getValue());
        }
        return bytes;
    }
}
