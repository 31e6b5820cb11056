package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.Set;

/** Values that only grow older, so that an answer with other ones is no news to a person who watches. */
final class Ages {
    private static final Set<String> FIELDS =
            Set.of("lastContact", "silentFor", "reportedAt", "unfinishedFor", "age", "leaseAge");

    private Ages() {}

    /** Returns a value in which these fields are there, but have no values. */
    static JsonElement without(JsonElement value) {
        if (value instanceof JsonArray array) {
            JsonArray all = new JsonArray();
            array.forEach(element -> all.add(without(element)));
            return all;
        } else if (value instanceof JsonObject object) {
            JsonObject all = new JsonObject();
            object.entrySet()
                    .forEach(entry -> all.add(
                            entry.getKey(),
                            FIELDS.contains(entry.getKey()) ? JsonNull.INSTANCE : without(entry.getValue())));
            return all;
        }
        return value;
    }
}
