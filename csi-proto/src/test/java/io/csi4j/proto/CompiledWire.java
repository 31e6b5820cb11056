package io.csi4j.proto;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Lists all elements of a compiled file as rows, with the published names. */
final class CompiledWire {
    /** The compiled name of the only renamed field; the published name is {@code mutable_parameters}. */
    private static final String RENAMED = "modifiable_parameters";

    private static final Set<String> MESSAGES_WITH_RENAMED = Set.of(
            "CreateVolumeRequest",
            "ControllerModifyVolumeRequest",
            "ValidateVolumeCapabilitiesRequest",
            "ValidateVolumeCapabilitiesResponse.Confirmed");

    private final List<WireRow> rows = new ArrayList<>();
    private final String prefix;

    private CompiledWire(FileDescriptor file) {
        prefix = file.getPackage() + ".";
        file.getExtensions().forEach(this::extension);
        file.getEnumTypes().forEach(type -> enumeration(type, false));
        file.getMessageTypes().forEach(type -> message(type, false));
        file.getServices().forEach(this::service);
    }

    static List<WireRow> rowsOf(FileDescriptor file) {
        return new CompiledWire(file).rows;
    }

    private String name(String fullName) {
        return fullName.startsWith(prefix) ? fullName.substring(prefix.length()) : fullName;
    }

    private void extension(FieldDescriptor field) {
        String type = type(field) + " of " + field.getContainingType().getFullName();
        row("extension", name(field.getFullName()), field.getNumber(), type, "-", "-", false);
    }

    private void enumeration(EnumDescriptor type, boolean outerRemoved) {
        boolean removed = outerRemoved || type.getOptions().getDeprecated();
        String name = name(type.getFullName());
        String alpha = alpha(type.getOptions().getExtension(CsiProto.alphaEnum));
        rows.add(new WireRow("enum", name, "-", "-", "-", alpha, removed));
        for (EnumValueDescriptor value : type.getValues()) {
            row(
                    "value",
                    name + "." + value.getName(),
                    value.getNumber(),
                    "-",
                    "-",
                    alpha(value.getOptions().getExtension(CsiProto.alphaEnumValue)),
                    removed || value.getOptions().getDeprecated());
        }
    }

    private void message(Descriptor type, boolean outerRemoved) {
        if (type.getOptions().getMapEntry()) {
            return;
        }
        boolean removed = outerRemoved || type.getOptions().getDeprecated();
        String name = name(type.getFullName());
        String alpha = alpha(type.getOptions().getExtension(CsiProto.alphaMessage));
        rows.add(new WireRow("message", name, "-", "-", "-", alpha, removed));
        type.getEnumTypes().forEach(inner -> enumeration(inner, removed));
        type.getNestedTypes().forEach(inner -> message(inner, removed));
        type.getFields().forEach(field -> field(name, field, removed));
    }

    private void field(String message, FieldDescriptor field, boolean outerRemoved) {
        boolean secret = field.getOptions().getExtension(CsiProto.csiSecret);
        boolean alpha = field.getOptions().getExtension(CsiProto.alphaField);
        row(
                "field",
                message + "." + publishedName(message, field),
                field.getNumber(),
                type(field),
                field.getContainingOneof() == null
                        ? "-"
                        : field.getContainingOneof().getName(),
                secret ? (alpha ? "csi_secret,alpha" : "csi_secret") : alpha(alpha),
                outerRemoved || field.getOptions().getDeprecated());
    }

    /** A field whose JSON name does not match its published name gets a name that is in no table. */
    private static String publishedName(String message, FieldDescriptor field) {
        boolean renamed = field.getName().equals(RENAMED) && MESSAGES_WITH_RENAMED.contains(message);
        String published = renamed ? "mutable_parameters" : field.getName();
        String json = field.getJsonName();
        return json.equals(lowerCamel(published)) ? published : published + " with the JSON name " + json;
    }

    private static String lowerCamel(String name) {
        StringBuilder camel = new StringBuilder();
        for (String word : name.split("_", -1)) {
            camel.append(camel.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
        }
        return camel.toString();
    }

    private String type(FieldDescriptor field) {
        if (field.isMapField()) {
            Descriptor entry = field.getMessageType();
            return "map<" + type(entry.findFieldByName("key")) + "," + type(entry.findFieldByName("value")) + ">";
        }
        String type = switch (field.getType()) {
            case MESSAGE -> "message " + name(field.getMessageType().getFullName());
            case ENUM -> "enum " + name(field.getEnumType().getFullName());
            default -> field.getType().name().toLowerCase(Locale.ROOT);
        };
        return field.isRepeated() ? "repeated " + type : type;
    }

    private void service(ServiceDescriptor service) {
        String name = name(service.getFullName());
        String alpha = alpha(service.getOptions().getExtension(CsiProto.alphaService));
        boolean removed = service.getOptions().getDeprecated();
        rows.add(new WireRow("service", name, "-", "-", "-", alpha, removed));
        for (MethodDescriptor method : service.getMethods()) {
            String type = (method.isClientStreaming() ? "stream " : "")
                    + name(method.getInputType().getFullName())
                    + (method.isServerStreaming() ? " -> stream " : " -> ")
                    + name(method.getOutputType().getFullName());
            rows.add(new WireRow(
                    "rpc",
                    name + "." + method.getName(),
                    "-",
                    type,
                    "-",
                    alpha(method.getOptions().getExtension(CsiProto.alphaMethod)),
                    removed || method.getOptions().getDeprecated()));
        }
    }

    private void row(String kind, String name, int number, String type, String oneof, String options, boolean removed) {
        rows.add(new WireRow(kind, name, Integer.toString(number), type, oneof, options, removed));
    }

    private static String alpha(boolean alpha) {
        return alpha ? "alpha" : "-";
    }
}
