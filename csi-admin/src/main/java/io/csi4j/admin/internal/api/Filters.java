package io.csi4j.admin.internal.api;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import java.util.Map;
import java.util.TreeMap;

/** The parameters that several endpoints have. */
final class Filters {
    static final Parameter NAMESPACE = Parameter.path("namespace", "The namespace of the volume.");
    static final Parameter VOLUME = Parameter.path("volume", "The id of the volume in its namespace.");
    static final Parameter PLUGIN = Parameter.path("plugin", "The plugin.");

    private Filters() {}

    static Parameter text(String name, String description) {
        return Parameter.query(name, Parameter.Type.TEXT, description);
    }

    static Parameter flag(String name, String description) {
        return Parameter.query(name, Parameter.Type.FLAG, description);
    }

    /** Returns the volume in the path. */
    static VolumeKey volume(Call call) {
        return new VolumeKey(
                call.values().parsed("namespace", Namespace::of), call.values().parsed("volume", VolumeId::of));
    }

    /** Returns the plugin in the path. */
    static PluginId plugin(Call call) {
        return call.values().parsed("plugin", PluginId::of);
    }

    /** Returns texts such as {@code zone=a} as a map. */
    static Map<String, String> pairs(Call call, String name) {
        Map<String, String> pairs = new TreeMap<>();
        for (String text : call.values().texts(name)) {
            int at = text.indexOf('=');
            if (at < 1) {
                throw new BadRequestException(name, "has no equals sign after a name", "write " + name + "=name=value");
            }
            if (pairs.put(text.substring(0, at), text.substring(at + 1)) != null) {
                throw new BadRequestException(name, "has the same name twice", "give it once");
            }
        }
        return pairs;
    }
}
