// A photograph with its score as a picture: the board with the zones on it, and the totals below.
import { offerFile, toFile } from "./match_share.js";

const WIDTH_PX = 1200, BAND_PX = 150;
const drawing = document.getElementById("photo"), box = document.getElementById("share");

async function drawScore() {
  const { x, y, width, height } = drawing.viewBox.baseVal, image = drawing.querySelector("image");
  const picture = new Image();
  picture.src = image.href.baseVal;
  await picture.decode();
  const scale = WIDTH_PX / width, canvas = document.createElement("canvas"), g = canvas.getContext("2d");
  [canvas.width, canvas.height] = [WIDTH_PX, Math.round(height * scale) + BAND_PX];
  const natural = picture.naturalWidth / image.width.baseVal.value;
  g.drawImage(picture, x * natural, y * natural, width * natural, height * natural, 0, 0, WIDTH_PX, height * scale);
  g.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
  for (const part of drawing.querySelectorAll("polygon, text")) drawPart(g, part, getComputedStyle(part));
  g.setTransform(1, 0, 0, 1, 0, canvas.height - BAND_PX);
  drawTotals(g);
  return toFile(canvas);
}

function drawPart(g, part, style) {
  [g.strokeStyle, g.fillStyle, g.lineWidth] = [style.stroke, style.fill, parseFloat(style.strokeWidth)];
  if (part.tagName === "text") {
    Object.assign(g, { font: `${style.fontWeight} ${style.fontSize} sans-serif`, textAlign: "center", textBaseline: "middle", lineJoin: "round" });
    const at = [part.textContent.trim(), Number(part.getAttribute("x")), Number(part.getAttribute("y"))];
    g.strokeText(...at);
    g.fillText(...at);
  } else if (style.stroke !== "none") {
    g.beginPath();
    for (const { x, y } of part.points) g.lineTo(x, y);
    g.closePath();
    g.stroke();
  }
}

function drawTotals(g) {
  const rows = [...document.querySelectorAll(".told .totals li")];
  g.fillStyle = "#fbf7ef";
  g.fillRect(0, 0, WIDTH_PX, BAND_PX);
  Object.assign(g, { font: "700 56px sans-serif", textAlign: "left", textBaseline: "middle", lineWidth: 3, strokeStyle: "#14100c" });
  rows.forEach((row, k) => {
    const left = 40 + (k * (WIDTH_PX - 40)) / rows.length, middle = BAND_PX / 2;
    g.fillStyle = row.querySelector(".swatch circle")?.getAttribute("fill") ?? "#e6bf83";
    g.beginPath();
    g.arc(left + 28, middle, 28, 0, 2 * Math.PI);
    g.fill();
    g.stroke();
    g.fillStyle = "#1d1813";
    g.fillText(row.querySelector(".points").textContent, left + 80, middle, WIDTH_PX / rows.length - 130);
  });
}

offerFile(box, drawScore, document.title);
